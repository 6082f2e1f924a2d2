"""The prebuilt kernels keep the laws of arithmetic, and say when a result does not fit.

The oracle is Python's big integers; the kernels run on the reference interpreter. That the
network equals the interpreter is tested in tests/vgpu.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codegen
import vgpu
from codegen import build_kernels
from codegen.catalog import BLOCKS, KERNELS, OK, OVERFLOWS, UNDEFINED
from codegen.clang import find_clang

LOWEST, HIGHEST = -(2**31), 2**31 - 1
CORNERS = [0, 1, -1, 2, -7, 100, 46341, -46341, 65536, HIGHEST - 1, HIGHEST, LOWEST + 1,
           LOWEST]  # fmt: skip
catalog = codegen.catalog()


class Undefined(Exception):
    """There is no result."""


def truth(condition: bool) -> None:
    if not condition:
        raise Undefined


def divide(a: int, b: int) -> int:
    truth(b != 0)
    return a // b


def modulo(a: int, b: int) -> int:
    truth(b != 0)
    return a % b


def factorial(n: int) -> int:
    truth(n >= 0)
    return math.factorial(min(n, 30))  # from 13 on it does not fit


def fibonacci(n: int) -> int:
    truth(n >= 0)
    now, after = 0, 1
    for _ in range(min(n, 90)):
        now, after = after, now + after
    return now


def power(base: int, exponent: int) -> int:
    if exponent < 0:
        truth(base in (1, -1))
        return base if exponent % 2 else 1
    # Beyond 40 only 0, 1 and -1 have a result that fits; keep the parity.
    return base ** min(exponent, 40 + exponent % 2)


def is_prime(n: int) -> int:
    return int(n >= 2 and all(n % d for d in range(2, math.isqrt(n) + 1)))


def mean(a: Sequence[int]) -> int:
    truth(len(a) > 0)
    return sum(a) // len(a)


def extreme(choose: Callable[[Sequence[int]], int]) -> Callable[[Sequence[int]], int]:
    def oracle(a: Sequence[int]) -> int:
        truth(len(a) > 0)
        return choose(a)

    return oracle


def matrix_product(a: list[list[int]], b: list[list[int]]) -> list[list[int]]:
    columns = list(zip(*b, strict=True))
    return [[sum(map(int.__mul__, row, column)) for column in columns] for row in a]


ORACLES: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": divide,
    "mod": modulo,
    "percent": lambda p, n: p * n // 100,
    "gcd": math.gcd,
    "lcm": math.lcm,
    "factorial": factorial,
    "fibonacci": fibonacci,
    "power": power,
    "isprime": is_prime,
    "sum": sum,
    "mean": mean,
    "min": extreme(min),
    "max": extreme(max),
    "sort": sorted,
    "dot": lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)),
    "matmul": matrix_product,
}


@lru_cache
def machine() -> vgpu.Machine:
    return vgpu.Machine("interpreter")


def check(name: str, *args: Any) -> vgpu.Run:
    """Run a kernel; its status and its result must be the oracle's."""
    kernel = catalog[name]
    launch = kernel.bind(args)
    run = machine().run(
        kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
    )
    status, result = run.outputs["status"][0], launch.result(run.outputs)
    try:
        expected = ORACLES[name](*args)
    except Undefined:
        assert status == UNDEFINED, f"{name}{args}"
        assert kernel.explain(status) == kernel.undefined
        return run
    flat = [expected]
    while flat and isinstance(flat[0], list):
        flat = list(itertools.chain(*flat))
    if all(LOWEST <= value <= HIGHEST for value in flat):
        assert (status, result) == (OK, expected), f"{name}{args}"
        assert kernel.explain(status) is None
    else:
        assert status == OVERFLOWS, f"{name}{args} is {expected}"
    return run


integers = st.one_of(
    st.sampled_from(CORNERS), st.integers(-1000, 1000), st.integers(LOWEST, HIGHEST)
)
lists = st.lists(integers, max_size=35)
small_lists = st.lists(st.integers(-99, 99), max_size=12)


def test_the_catalogue_is_complete() -> None:
    assert set(catalog) == set(ORACLES)
    assert {path.stem for path in KERNELS.glob("*.cu")} == set(catalog)
    for kernel in catalog.values():
        assert kernel.block in BLOCKS
        assert tuple(param.name for param in kernel.program().params) == kernel.parameters


TWO_NUMBERS = ["add", "sub", "mul", "div", "mod", "percent", "gcd", "lcm", "power"]


@pytest.mark.parametrize("name", TWO_NUMBERS)
def test_two_numbers_corners(name: str) -> None:
    # Euclid's algorithm takes long; its corners are where a magnitude is.
    corners = [0, 1, -1, 7, 46341, HIGHEST, LOWEST] if name in ("gcd", "lcm") else CORNERS
    for a, b in itertools.product(corners, repeat=2):
        check(name, a, b)


@pytest.mark.parametrize("name", TWO_NUMBERS)
@settings(max_examples=30, deadline=None)
@given(a=integers, b=integers)
def test_two_numbers(name: str, a: int, b: int) -> None:
    check(name, a, b)


@settings(max_examples=30, deadline=None)
@given(base=st.integers(-30, 30), exponent=st.integers(0, 33))
def test_power_near_its_limit(base: int, exponent: int) -> None:
    check("power", base, exponent)


@settings(max_examples=30, deadline=None)
@given(quotient=integers, n=integers)
def test_percent_inverts_a_hundredfold(quotient: int, n: int) -> None:
    check("percent", 100, n)
    check("percent", quotient, 100)


@pytest.mark.parametrize("name", ["factorial", "fibonacci"])
def test_every_factorial_and_fibonacci_number(name: str) -> None:
    for n in [LOWEST, -5, -1, *range(49), 100, HIGHEST]:
        check(name, n)


def test_every_small_number_is_prime_or_not() -> None:
    for n in range(-3, 70):
        check("isprime", n)


@pytest.mark.parametrize(
    "n",
    [2047, 3215031751 % 2**31, 1000003, 1373653, 25326001, 314821, 4759123, 7 * 61, 61 * 61,
     2147483647, 2147483629, 46337 * 46327, 46337**2, 2147483646, LOWEST],
)  # fmt: skip
def test_prime_impostors(n: int) -> None:
    """Strong pseudoprimes to one or two of the bases, squares, the greatest primes."""
    check("isprime", n)


@settings(max_examples=15, deadline=None)
@given(n=st.integers(0, HIGHEST))
def test_primes(n: int) -> None:
    check("isprime", n)


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "sort"])
@settings(max_examples=30, deadline=None)
@given(a=st.one_of(lists, small_lists))
def test_lists(name: str, a: list[int]) -> None:
    check(name, a)


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "sort"])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 5, 31, 32, 33, 65])
def test_lists_of_every_shape(name: str, length: int) -> None:
    draw = random.Random(length)
    check(name, [draw.randrange(LOWEST, HIGHEST) for _ in range(length)])
    check(name, [draw.randrange(-9, 10) for _ in range(length)])
    check(name, [LOWEST] * length)
    check(name, [HIGHEST] * length)


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "sort"])
def test_a_list_that_almost_fills_the_memory(name: str) -> None:
    draw = random.Random(1)
    check(name, [draw.randrange(LOWEST, HIGHEST) for _ in range(200 if name == "sort" else 1900)])


@settings(max_examples=50, deadline=None)
@given(pairs=st.lists(st.tuples(integers, integers), max_size=40))
def test_dot(pairs: list[tuple[int, int]]) -> None:
    check("dot", [a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize("length", [0, 1, 3, 4, 31, 33])
def test_dot_of_every_shape(length: int) -> None:
    draw = random.Random(length)
    for low, high in ((-(2**13), 2**13), (LOWEST, HIGHEST)):
        a, b = ([draw.randint(low, high) for _ in range(length)] for _ in range(2))
        check("dot", a, b)
    for a, b in ((LOWEST, HIGHEST), (46341, 46341), (LOWEST, LOWEST)):
        # Products that are too large by themselves and cancel, and some that do not.
        check("dot", [a] * length, [b if i % 2 else -b - 1 for i in range(length)])
        check("dot", [a] * length, [b] * length)


def test_the_largest_products_that_are_not_added_again() -> None:
    check("dot", [2**13] * 31, [2**13] * 31)
    check("dot", [-(2**13)] * 31, [2**13] * 31)


def test_the_demo_is_short() -> None:
    run = check("dot", [1, 2, 3], [4, 5, 6])
    assert run.outputs["out"] == [32]
    assert run.passes < 47


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_matmul(data: st.DataObject) -> None:
    rows, inner, columns = (data.draw(st.integers(1, 5)) for _ in range(3))
    numbers = data.draw(st.sampled_from([integers, st.integers(-99, 99)]))
    a, b = (
        data.draw(st.lists(st.lists(numbers, min_size=w, max_size=w), min_size=h, max_size=h))
        for h, w in ((rows, inner), (inner, columns))
    )
    check("matmul", a, b)


@pytest.mark.parametrize(("rows", "columns"), [(1, 40), (40, 1), (9, 9), (1, 1), (33, 3)])
def test_matmul_of_every_shape(rows: int, columns: int) -> None:
    draw = random.Random(rows)
    a = [[draw.randint(-99, 99) for _ in range(2)] for _ in range(rows)]
    b = [[draw.randint(-99, 99) for _ in range(columns)] for _ in range(2)]
    check("matmul", a, b)


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("add", [1], "expected 2 arguments, got 1"),
        ("add", [1, 2**31], "does not fit 32 bits"),
        ("add", [1, True], "whole numbers"),
        ("add", [1, 2.5], "whole numbers"),
        ("add", {"a": 1, "c": 2}, "expected these arguments"),
        ("sum", [5], "must be a list"),
        ("sum", ["12"], "must be a list"),
        ("sum", [[1, [2]]], "whole numbers"),
        ("dot", [[1, 2, 3], [1, 2]], "length of a (3) and the length of b (2) must be equal"),
        ("matmul", [[[1, 2]], [[1, 2]]], "columns of a (2) and the rows of b (1)"),
        ("matmul", [[[1, 2], [3]], [[1], [2]]], "rows of the same length"),
        ("matmul", [[], [[1]]], "rows of the same length"),
    ],
)
def test_wrong_arguments_are_said_in_one_line(name: str, args: Any, message: str) -> None:
    with pytest.raises(vgpu.InputError) as error:
        catalog[name].bind(args)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.skipif(find_clang() is None, reason="no clang here to compile the sources again")
@pytest.mark.parametrize("name", list(catalog))
def test_the_shipped_program_is_what_the_source_gives(name: str) -> None:
    assert build_kernels.build(name).code == catalog[name].program().code
