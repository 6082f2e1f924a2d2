"""The prebuilt kernels: shipped as programs, run without any compiler, right for all integers."""

from __future__ import annotations

import datetime
import json
import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import codegen
import vgpu

ROOT = Path(__file__).parents[2]
KERNELS = Path(codegen.__file__).parent / "kernels"
Matrix = list[list[int]]


def matmul(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(row, c, strict=True)) for c in columns] for row in a]


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def isprime(n: int) -> int:
    return int(n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1)))


def digits(n: int, base: int) -> list[int]:
    return [*digits(n // base, base), n % base] if n >= base else [n]


def clock(h: int, m: int, s: int, minutes: int) -> list[int]:
    """The time of day so many minutes later."""
    day = datetime.datetime(2000, 1, 1, h, m, s) + datetime.timedelta(minutes=minutes)
    return [day.hour, day.minute, day.second]


ORACLES: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "sum": sum,
    "min": min,
    "max": max,
    "mean": lambda a: sum(a) // len(a),
    "dot": lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)),
    "matmul": matmul,
    "sort": sorted,
    "gcd": math.gcd,
    "lcm": math.lcm,
    "factorial": math.factorial,
    "fibonacci": fibonacci,
    "power": pow,
    "isprime": isprime,
    "percent": lambda p, n: p * n // 100,
    "divup": lambda a, b: -(-a // b),
    "change": lambda a, b: (b - a) * 100 // abs(a),
    "ncr": math.comb,
    "npr": math.perm,
    "isqrt": math.isqrt,
    "modpow": pow,
    "nextprime": lambda n: next(m for m in range(n + 1, 2 * n + 3) if isprime(m)),
    "countprimes": lambda n: sum(map(isprime, range(n))),
    "digitsum": lambda n: sum(map(int, str(abs(n)))),
    "popcount": int.bit_count,
    "fromhex": lambda d: int("".join(f"{n:x}" for n in d), 16),
    "frombin": lambda d: int("".join(map(str, d)), 2),
    "frombase": lambda d, base: sum(n * base**i for i, n in enumerate(reversed(d))),
    "product": math.prod,
    "count": len,
    "median": lambda a: math.floor(statistics.median(a)),
    "mode": statistics.mode,
    "range": lambda a: max(a) - min(a),
    "variance": lambda a: math.floor(statistics.pvariance(a)),
    "sumsq": lambda a: sum(n * n for n in a),
    "sortdesc": lambda a: sorted(a, reverse=True),
    "det": lambda a: a[0][0] * a[1][1] - a[0][1] * a[1][0],
    "datediff": lambda *d: (datetime.date(*d[3:]) - datetime.date(*d[:3])).days,
    "later": clock,
    "earlier": lambda h, m, s, n: clock(h, m, s, -n),
}
# Results whose length the machine tells: how many of `out` count is in `count`.
COUNTED: dict[str, Callable[..., list[int]]] = {
    "tohex": lambda n: digits(n, 16),
    "tobin": lambda n: digits(n, 2),
    "tobase": digits,
    "primesbelow": lambda n: [m for m in range(n) if isprime(m)],
}
HIGH, LOW = 2**63 - 1, -(2**63)
PAIRS = [
    [17, 5],
    [-17, 5],
    [17, -5],
    [-17, -5],
    [0, 7],
    [HIGH, 1],
    [LOW, 3],
    [3037000500, 3037000499],
]
LISTS = [[[5]], [[3, -1, 4, -1, 5]], [[HIGH, -7, LOW + 7]], [list(range(70, 0, -1))]]
CALLS: dict[str, list[list[Any]]] = {
    "add": PAIRS, "sub": PAIRS, "mul": [*PAIRS, [-3037000500, 3037000499], [2**32 - 1, 2**31]],
    "div": [*PAIRS, [LOW, LOW], [HIGH, 2]], "mod": [*PAIRS, [LOW, HIGH], [LOW, -1]],
    "gcd": [*PAIRS, [1071, 462], [0, 0]],
    "lcm": [[4, 6], [21, 6], [7, 0], [3037000499, 3037000499 * 3]],
    "percent": [[15, 200], [7, 99], [33, -10], [100, HIGH], [1, 1]],
    "power": [[2, 10], [-3, 3], [7, 0], [0, 0], [2, 62], [-2, 63], [1, 100]],
    "factorial": [[0], [1], [5], [12], [20]],
    "fibonacci": [[0], [1], [2], [10], [92]],
    "isprime": [[0], [1], [2], [9], [97], [7919], [7917], [-7], [2**31 + 11]],
    "sum": LISTS, "min": LISTS, "max": LISTS, "mean": [*LISTS, [[-1, -2]]], "sort": LISTS,
    "dot": [[[1, 2, 3], [4, 5, 6]], [[-9], [9]], [list(range(40)), list(range(40, 0, -1))]],
    "matmul": [
        [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[1, 2, 3]], [[4], [5], [6]]],
        [[[2], [-3]], [[4, 5, 6]]],
    ],
    "divup": [*PAIRS, [HIGH, 2]], "change": [[80, 92], [92, 80], [-3, 4], [HIGH, 5], [5, 10**15]],
    "ncr": [[49, 6], [5, 0], [3, 4], [66, 33]], "npr": [[10, 3], [3, 4], [20, 20]],
    "isqrt": [[0], [1], [99], [100], [HIGH]], "modpow": [[3, 200, 13], [2, 10**6, 10**18 + 9]],
    "nextprime": [[0], [2], [89], [7919]], "countprimes": [[0], [2], [3], [1000]],
    "digitsum": [[0], [-987], [HIGH], [LOW]], "popcount": [[0], [255], [HIGH]],
    "fromhex": [[[15, 15]], [[0, 0, 7]]], "frombin": [[[1, 0, 1]], [[0]]],
    "frombase": [[[2, 6, 2, 6], 7], [[35, 35], 36]],
    "product": [[[2, 3, 7]], [[0, HIGH, HIGH]], [[LOW, 1]], [[]]],
    "count": [[[7]], [list(range(33))], [[]], [list(range(32))]],
    "median": [[[5, 1, 3]], [[1, 2]], [[-1, -2]], [list(range(40))]],
    "mode": [[[1, 2, 2]], [[9]], [[5, 5, 7, 7, 7]]], "range": [[[4, 9, -3]], [[5]]],
    "variance": [[[2, 4, 4, 4, 5, 5, 7, 9]], [[1, 2]], [[-5]]],
    "sumsq": [[[3, 4]], [[]], [[-(2**31), 5]]], "sortdesc": LISTS,
    "det": [[[[1, 2], [3, 4]]], [[[0, 2**31], [-(2**31), 5]]]],
    "datediff": [[2024, 2, 28, 2025, 1, 1], [2000, 3, 1, 1900, 2, 28]],
    "later": [[23, 50, 7, 25], [0, 0, 0, 0], [9, 5, 59, 10**8]],
    "earlier": [[0, 10, 30, 11], [23, 59, 59, 1], [12, 0, 0, 10**8]],
    "tohex": [[0], [255], [HIGH]], "tobin": [[0], [37], [HIGH]], "tobase": [[1000, 7], [35, 36]],
    "primesbelow": [[2], [3], [100]],
}  # fmt: skip
TOO_LARGE = [
    ("add", [HIGH, 1]), ("sub", [LOW, 1]), ("mul", [2**32, 2**31]), ("div", [LOW, -1]),
    ("factorial", [21]), ("fibonacci", [93]), ("power", [2, 63]), ("sum", [[HIGH, 1]]),
    ("dot", [[2**31, 2**31], [2**31, 2**31]]), ("matmul", [[[2**32]], [[2**32]]]),
    ("lcm", [HIGH, HIGH - 1]), ("product", [[2**21] * 3]), ("sumsq", [[2**32]]),
    ("range", [[HIGH, LOW]]), ("ncr", [70, 35]), ("npr", [30, 20]), ("change", [1, HIGH]),
    ("compound", [10**18, 100, 4]), ("nextprime", [HIGH]), ("fromhex", [[15] * 16]),
    ("addtime", [2**60, 0, 0, 0, 0, 0]), ("det", [[[2**32, 0], [0, 2**31]]]),
]  # fmt: skip
UNDEFINED = [
    ("div", [1, 0]), ("mod", [1, 0]), ("min", [[]]), ("max", [[]]), ("mean", [[]]),
    ("factorial", [-1]), ("change", [0, 1]), ("median", [[]]), ("mode", [[]]), ("range", [[]]),
    ("variance", [[]]), ("isqrt", [-1]), ("ncr", [-1, 2]), ("npr", [3, -1]), ("modpow", [2, 3, 0]),
    ("frombin", [[2]]), ("fromhex", [[]]), ("datediff", [2023, 2, 29, 2024, 1, 1]),
]  # fmt: skip

BEYOND = [
    ("countprimes", [10**6 + 1]), ("primesbelow", [10**4 + 1]), ("popcount", [-1]), ("tohex", [-1]),
    ("tobin", [LOW]), ("tobase", [5, 37]), ("frombase", [[1], 1]), ("compound", [-1, 1, 1]),
    ("variance", [[LOW // 2, HIGH // 2]]), ("det", [[[2**62, 2, 0], [2, 2**62, 0], [0, 0, 0]]]),
]  # fmt: skip

# Runs in a process without a compiler: no PATH, no wheel with clang, no new processes at all.
ALONE = """
import json, subprocess, sys
sys.modules["ziglang"] = None
def refuse(*a, **k):
    raise AssertionError("a prebuilt kernel started a process")
subprocess.Popen.__init__ = refuse
import codegen, vgpu
machine = vgpu.Machine(engine="sparse")
out = {}
for name, args in json.load(sys.stdin):
    kernel = codegen.catalog()[name]
    launch = kernel.bind(args)
    run = machine.run(
        kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
    )
    out[name] = [run.outputs["status"], run.outputs["out"]]
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def machine() -> vgpu.Machine:
    return vgpu.Machine(engine="sparse")


def call(machine: vgpu.Machine, name: str, args: list[Any]) -> tuple[int, list[int]]:
    """(status, out) of a call; a result of several numbers in one row."""
    kernel = codegen.catalog()[name]
    launch = kernel.bind(args)
    run = machine.run(
        kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
    )
    return run.outputs["status"][0], run.outputs["out"]


def flat(value: Any) -> list[int]:
    return [n for part in value for n in flat(part)] if isinstance(value, list) else [value]


def test_all_are_there_with_source_and_program() -> None:
    times = {"compound", "addtime", "subtime"}
    assert set(codegen.catalog()) == set(ORACLES) | set(COUNTED) | times
    for name in codegen.catalog():
        assert (KERNELS / f"{name}.cu").is_file(), name
        assert (KERNELS / f"{name}.vgpu").is_file(), name


@pytest.mark.parametrize("name", ORACLES)
def test_right_for_small_negative_and_extreme_numbers(name: str, machine: vgpu.Machine) -> None:
    """Right when the result fits 64 bits; otherwise the status says that it does not."""
    for args in CALLS[name]:
        exact = flat(ORACLES[name](*args))
        status, out = call(machine, name, args)
        if all(LOW <= n <= HIGH for n in exact):
            assert (status, out) == (0, exact), args
        else:
            assert status == 1, args


@pytest.mark.parametrize("name", COUNTED)
def test_the_machine_says_how_long_a_list_is(name: str, machine: vgpu.Machine) -> None:
    kernel = codegen.catalog()[name]
    for args in CALLS[name]:
        launch = kernel.bind(args)
        run = machine.run(
            kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
        )
        assert launch.result(run.outputs) == COUNTED[name](*args)
        assert run.outputs["status"] == [0]


def test_money_and_time(machine: vgpu.Machine) -> None:
    cents = 150_000
    for _ in range(10):
        cents += cents * 4 // 100
    assert call(machine, "compound", [150_000, 4, 10]) == (0, [cents])
    assert call(machine, "addtime", [14, 30, 0, 9, 45, 30]) == (0, [24, 15, 30])
    assert call(machine, "subtime", [17, 15, 0, 9, 40, 30]) == (0, [7, 34, 30])
    assert call(machine, "subtime", [1, 0, 0, 2, 30, 0]) == (0, [-1, -30, 0])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "mod", "gcd", "percent", "power"])
def test_right_for_random_pairs(name: str, machine: vgpu.Machine) -> None:
    draw = random.Random(name)
    for _ in range(12):
        size = draw.choice([2, 8, 16, 31, 48, 63])
        a, b = draw.randint(-(2**size), 2**size - 1), draw.randint(1, 2**size - 1)
        b = b % 7 if name == "power" else b
        exact = ORACLES[name](a, b)
        status, out = call(machine, name, [a, b])
        assert (status, out) == (0, [exact]) if LOW <= exact <= HIGH else status == 1, (a, b)


@pytest.mark.parametrize(("name", "args"), TOO_LARGE)
def test_overflow_is_told(name: str, args: list[Any], machine: vgpu.Machine) -> None:
    assert call(machine, name, args)[0] == 1


@pytest.mark.parametrize(("name", "args"), UNDEFINED)
def test_what_is_undefined_is_told(name: str, args: list[Any], machine: vgpu.Machine) -> None:
    assert call(machine, name, args)[0] == 2


@pytest.mark.parametrize(("name", "args"), BEYOND)
def test_what_is_beyond_a_kernel_is_told(name: str, args: list[Any], machine: vgpu.Machine) -> None:
    assert call(machine, name, args)[0] == 3


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("add", [1]), ("add", [1, 2, 3]), ("add", [1, [2]]), ("add", [1, 2**63]), ("add", [1, 0.5]),
        ("dot", [[1, 2], [3]]), ("matmul", [[[1, 2], [3]], [[1]]]), ("sum", [4]),
    ],
)  # fmt: skip
def test_a_wrong_call_is_refused_in_one_line(name: str, args: list[Any]) -> None:
    with pytest.raises(vgpu.InputError) as caught:
        codegen.catalog()[name].bind(args)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_they_need_no_compiler() -> None:
    calls = [(name, CALLS[name][0]) for name in ORACLES]
    env = {k: v for k, v in os.environ.items() if k != "PATH"} | {"PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", ALONE], input=json.dumps(calls), cwd=ROOT, env=env,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    came = json.loads(done.stdout)
    for name, args in calls:
        assert came[name] == [[0], flat(ORACLES[name](*args))], name


def test_a_stored_program_runs_as_a_command_without_a_compiler(shell: Callable[..., Any]) -> None:
    done = shell(
        "run", KERNELS / "add.vgpu", "--set", "a=40", "--set", "b=2", "--out", "out=1",
        "--out", "status=1", "--json", env={"PATH": ""},
    )  # fmt: skip
    assert done.record["outputs"] == {"out": [42], "status": [0]}
