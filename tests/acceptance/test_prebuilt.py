"""The prebuilt kernels: shipped as programs, run without any compiler, right for all integers."""

from __future__ import annotations

import json
import math
import os
import random
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
}
HIGH, LOW = 2**31 - 1, -(2**31)
PAIRS = [[17, 5], [-17, 5], [17, -5], [-17, -5], [0, 7], [HIGH, 1], [LOW, 3], [46341, 46340]]
LISTS = [[[5]], [[3, -1, 4, -1, 5]], [[HIGH, -7, LOW + 7]], [list(range(70, 0, -1))]]
CALLS: dict[str, list[list[Any]]] = {
    "add": PAIRS, "sub": PAIRS, "mul": [*PAIRS, [-46341, 46340], [65535, 32768]],
    "div": [*PAIRS, [LOW, LOW], [HIGH, 2]], "mod": [*PAIRS, [LOW, HIGH], [LOW, -1]],
    "gcd": [*PAIRS, [1071, 462], [0, 0]], "lcm": [[4, 6], [21, 6], [7, 0], [46341, 46341 * 3]],
    "percent": [[15, 200], [7, 99], [33, -10], [100, HIGH], [1, 1]],
    "power": [[2, 10], [-3, 3], [7, 0], [0, 0], [2, 30], [-2, 31], [1, 100]],
    "factorial": [[0], [1], [5], [12]], "fibonacci": [[0], [1], [2], [10], [46]],
    "isprime": [[0], [1], [2], [9], [97], [7919], [7917], [-7]],
    "sum": LISTS, "min": LISTS, "max": LISTS, "mean": [*LISTS, [[-1, -2]]], "sort": LISTS,
    "dot": [[[1, 2, 3], [4, 5, 6]], [[-9], [9]], [list(range(40)), list(range(40, 0, -1))]],
    "matmul": [
        [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[1, 2, 3]], [[4], [5], [6]]],
        [[[2], [-3]], [[4, 5, 6]]],
    ],
}  # fmt: skip
TOO_LARGE = [
    ("add", [HIGH, 1]), ("sub", [LOW, 1]), ("mul", [65536, 32768]), ("div", [LOW, -1]),
    ("factorial", [13]), ("fibonacci", [47]), ("power", [2, 31]), ("sum", [[HIGH, 1]]),
    ("dot", [[65536, 65536], [65536, 65536]]), ("matmul", [[[65536]], [[65536]]]),
    ("lcm", [HIGH, HIGH - 1]),
]  # fmt: skip
UNDEFINED = [
    ("div", [1, 0]), ("mod", [1, 0]), ("min", [[]]), ("max", [[]]), ("mean", [[]]),
    ("factorial", [-1]),
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
    assert set(codegen.catalog()) >= set(ORACLES)
    for name in codegen.catalog():
        assert (KERNELS / f"{name}.cu").is_file(), name
        assert (KERNELS / f"{name}.vgpu").is_file(), name


@pytest.mark.parametrize("name", ORACLES)
def test_right_for_small_negative_and_extreme_numbers(name: str, machine: vgpu.Machine) -> None:
    """Right when the result fits 32 bits; otherwise the status says that it does not."""
    for args in CALLS[name]:
        exact = flat(ORACLES[name](*args))
        status, out = call(machine, name, args)
        if all(LOW <= n <= HIGH for n in exact):
            assert (status, out) == (0, exact), args
        else:
            assert status == 1, args


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "mod", "gcd", "percent", "power"])
def test_right_for_random_pairs(name: str, machine: vgpu.Machine) -> None:
    draw = random.Random(name)
    for _ in range(12):
        size = draw.choice([2, 4, 8, 16, 31])
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


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("add", [1]), ("add", [1, 2, 3]), ("add", [1, [2]]), ("add", [1, 2**31]), ("add", [1, 0.5]),
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
