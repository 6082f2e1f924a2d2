"""The prebuilt kernels keep the laws of arithmetic, and say when a result does not fit.

The oracles are Python's big integers; the kernels run on the reference interpreter. That the
network equals the interpreter is tested in tests/vgpu.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vgpu
from codegen import build_kernels
from codegen.catalog import BLOCKS, KERNELS, OVERFLOWS
from codegen.clang import find_clang
from tests.codegen.kernel_checks import CORNERS, catalog, check, integers, launch, machine, network
from tests.codegen.kernel_oracles import HIGHEST, LOWEST, ORACLES


def test_the_catalogue_is_complete() -> None:
    assert set(catalog) == set(ORACLES)
    assert {path.stem for path in KERNELS.glob("*.cu")} == set(catalog)
    assert {path.stem for path in KERNELS.glob("*.vgpu")} == set(catalog)
    for kernel in catalog.values():
        assert isinstance(kernel.block, int) or kernel.block in BLOCKS
        params = kernel.program().params
        assert tuple(param.name for param in params) == kernel.parameters
        assert all(param.type == kernel.type_of(param.name) for param in params)


@pytest.mark.parametrize("name", list(catalog))
def test_every_example_is_right_on_the_network(name: str) -> None:
    check(name, *catalog[name].example, on=network())


TWO_NUMBERS = ["add", "sub", "mul", "div", "divup", "mod", "percent", "change", "gcd", "lcm",
               "power", "ncr", "npr"]  # fmt: skip


@pytest.mark.parametrize("name", TWO_NUMBERS)
def test_two_numbers_corners(name: str) -> None:
    pairs = list(itertools.product(CORNERS, repeat=2))
    for a, b in random.Random(name).sample(pairs, 40):
        check(name, a, b)


@pytest.mark.parametrize("name", TWO_NUMBERS)
@settings(max_examples=20, deadline=None)
@given(a=integers, b=integers)
def test_two_numbers(name: str, a: int, b: int) -> None:
    check(name, a, b)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("add", [HIGHEST, 1]), ("add", [LOWEST, -1]), ("add", [HIGHEST, LOWEST]),
        ("sub", [LOWEST, 1]), ("sub", [0, LOWEST]), ("sub", [-1, LOWEST]),
        ("mul", [LOWEST, -1]), ("mul", [LOWEST, 1]), ("mul", [2**32, 2**31]),
        ("mul", [2**32, -(2**31)]), ("mul", [3037000500, 3037000500]), ("mul", [0, LOWEST]),
        ("div", [LOWEST, -1]), ("div", [LOWEST, LOWEST]), ("div", [HIGHEST, LOWEST]),
        ("div", [-1, HIGHEST]), ("div", [LOWEST, 2]), ("divup", [LOWEST, -1]), ("divup", [1, 2]),
        ("divup", [-1, 2]), ("divup", [LOWEST, HIGHEST]), ("mod", [LOWEST, -1]),
        ("mod", [HIGHEST, LOWEST]), ("mod", [LOWEST, HIGHEST]), ("mod", [-1, LOWEST]),
        ("percent", [100, HIGHEST]), ("percent", [100, LOWEST]), ("percent", [101, HIGHEST]),
        ("percent", [-100, LOWEST]), ("percent", [LOWEST, LOWEST]), ("percent", [-1, 1]),
        ("percent", [2**40, 2**29]), ("percent", [99, HIGHEST]),
        ("change", [1, HIGHEST]), ("change", [-1, 1]), ("change", [HIGHEST, LOWEST]),
        ("change", [LOWEST, HIGHEST]), ("change", [3, 2]), ("change", [0, 5]),
        ("change", [2**58 + 1, 2**62]), ("change", [7, 92233720368547758]),
        ("change", [1, 92233720368547759]), ("change", [HIGHEST, 1]),
        ("gcd", [LOWEST, LOWEST]), ("gcd", [LOWEST, 0]), ("gcd", [0, 0]), ("gcd", [LOWEST, 2**40]),
        ("gcd", [3**39, 3**20 * 2**30]), ("lcm", [LOWEST, 1]), ("lcm", [HIGHEST, HIGHEST]),
        ("lcm", [0, LOWEST]), ("lcm", [2**32, 2**31 + 1]), ("lcm", [2**40, 2**62]),
        ("ncr", [67, 33]), ("ncr", [66, 33]), ("ncr", [68, 34]), ("ncr", [62, 31]),
        ("ncr", [HIGHEST, 1]), ("ncr", [HIGHEST, HIGHEST - 1]), ("ncr", [2**32, 2]),
        ("ncr", [4294967297, 2]), ("ncr", [5, 6]), ("ncr", [0, 0]), ("ncr", [-1, 0]),
        ("npr", [20, 20]), ("npr", [21, 21]), ("npr", [5, 6]), ("npr", [HIGHEST, 1]),
        ("npr", [HIGHEST, 0]), ("npr", [5, -1]),
    ],
)  # fmt: skip
def test_edges(name: str, args: list[int]) -> None:
    check(name, *args)


@settings(max_examples=30, deadline=None)
@given(base=st.integers(-30, 30), exponent=st.integers(0, 70))
def test_power_near_its_limit(base: int, exponent: int) -> None:
    check("power", base, exponent)


@pytest.mark.parametrize(
    "args",
    [(2, 62), (2, 63), (-2, 63), (-2, 64), (3037000499, 2), (3037000500, 2), (HIGHEST, 1),
     (LOWEST, 1), (LOWEST, 2), (0, HIGHEST), (0, 0), (-1, HIGHEST), (-1, LOWEST), (1, LOWEST)],
)  # fmt: skip
def test_power_edges(args: tuple[int, int]) -> None:
    check("power", *args)


@settings(max_examples=12, deadline=None)
@given(base=integers, exponent=integers, modulus=integers)
def test_modpow(base: int, exponent: int, modulus: int) -> None:
    check("modpow", base, exponent, modulus)


@pytest.mark.parametrize("modulus", [1, 2, 97, 2**31, 2**32 - 1, 2**32, 2**62, HIGHEST,
                                     HIGHEST - 1, 3 * 2**61])  # fmt: skip
def test_modpow_of_every_modulus(modulus: int) -> None:
    check("modpow", -12345678901234567, HIGHEST, modulus)
    check("modpow", modulus - 1, 3, modulus)
    check("modpow", 7, 0, modulus)


@settings(max_examples=10, deadline=None)
@given(quotient=integers, n=integers)
def test_percent_inverts_a_hundredfold(quotient: int, n: int) -> None:
    check("percent", 100, n)
    check("percent", quotient, 100)


@pytest.mark.parametrize("name", ["factorial", "fibonacci"])
def test_every_factorial_and_fibonacci_number(name: str) -> None:
    for n in [LOWEST, -1, *range(23), 50, 91, 92, 93, 2**32, HIGHEST]:
        check(name, n)


@settings(max_examples=10, deadline=None)
@given(n=integers)
def test_root(n: int) -> None:
    check("isqrt", n)


@pytest.mark.parametrize("root", [1, 2, 65535, 65536, 3037000499])
def test_root_at_squares(root: int) -> None:
    for n in (root * root - 1, root * root):
        check("isqrt", n, on=network())
    check("isqrt", HIGHEST, on=network())


@settings(max_examples=30, deadline=None)
@given(
    cents=st.one_of(st.integers(-10, 10**9), integers),
    rate=st.integers(-101, 200),
    years=st.integers(-1, 30),
)
def test_compound(cents: int, rate: int, years: int) -> None:
    check("compound", cents, rate, years)


@pytest.mark.parametrize(
    "args",
    [(0, 5, 3), (1, 5, 1000), (HIGHEST, 0, 5), (HIGHEST, 1, 1), (HIGHEST, -1, 2), (100, -100, 1),
     (100, 1_000_000, 3), (100, 1_000_001, 1), (100, 1, 1001), (100, 100, 60)],
)  # fmt: skip
def test_compound_edges(args: tuple[int, int, int]) -> None:
    check("compound", *args)


parts = st.one_of(st.integers(-100, 100), integers)


@pytest.mark.parametrize("name", ["addtime", "subtime"])
@settings(max_examples=20, deadline=None)
@given(args=st.tuples(*[parts] * 6))
def test_times(name: str, args: tuple[int, ...]) -> None:
    # Hours, minutes and seconds that do not fit as seconds cannot be told from the result alone.
    seconds = [3600 * args[i] + 60 * args[i + 1] + args[i + 2] for i in (0, 3)]
    if all(abs(3600 * args[i]) + abs(60 * args[i + 1]) < 2**62 for i in (0, 3)):
        total = seconds[0] + (seconds[1] if name == "addtime" else -seconds[1])
        if all(LOWEST <= s <= HIGHEST for s in (*seconds, total)):
            check(name, *args)


@pytest.mark.parametrize("name", ["later", "earlier"])
@settings(max_examples=30, deadline=None)
@given(time=st.times(), minutes=st.integers(-3000, 3000) | integers)
def test_the_clock_of_24_hours(name: str, time: Any, minutes: int) -> None:
    check(name, time.hour, time.minute, time.second, minutes)


@pytest.mark.parametrize("name", ["later", "earlier"])
@settings(max_examples=20, deadline=None)
@given(args=st.tuples(st.integers(-1, 24), st.integers(-1, 60), st.integers(-1, 60)) |
       st.tuples(integers, integers, integers))  # fmt: skip
def test_what_is_no_time_of_day(name: str, args: tuple[int, int, int]) -> None:
    check(name, *args, 90)


def test_times_that_do_not_fit() -> None:
    for args in ([2**60, 0, 0, 0, 0, 0], [0, 2**59, 0, 0, 0, 0], [0, 0, HIGHEST, 0, 0, 1]):
        assert launch("addtime", args, machine())[0] == OVERFLOWS
    assert launch("subtime", [0, 0, LOWEST, 0, 0, 1], machine())[0] == OVERFLOWS


dates = st.tuples(st.integers(0, 10000), st.integers(0, 13), st.integers(0, 32))


@settings(max_examples=25, deadline=None)
@given(first=st.dates(), second=st.dates(), other=dates)
def test_dates(first: Any, second: Any, other: tuple[int, int, int]) -> None:
    plain = (first.year, first.month, first.day)
    check("datediff", *plain, second.year, second.month, second.day)
    check("datediff", *plain, *other)


@pytest.mark.parametrize("month", range(1, 13))
def test_the_length_of_every_month(month: int) -> None:
    for year in (1900, 2000, 2023, 2024) if month == 2 else (2023,):
        for day in (28, 29, 30, 31, 32):
            check("datediff", year, month, day, 2024, 3, 1)


def test_dates_far_outside() -> None:
    for far in (2**32 + 1, LOWEST, 10000, 0):
        check("datediff", far, 1, 1, 2000, 1, 1)
        check("datediff", 2000, 1, 1, 2000, far, 1)


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("add", [1], "expected 2 arguments, got 1"),
        ("add", [1, 2**63], "does not fit 64 bits"),
        ("add", [1, LOWEST - 1], "does not fit 64 bits"),
        ("add", [1, True], "whole numbers"),
        ("add", [1, 2.5], "whole numbers"),
        ("add", {"a": 1, "c": 2}, "expected these arguments"),
        ("sum", [5], "must be a list"),
        ("sum", ["12"], "must be a list"),
        ("sum", [[1, [2]]], "whole numbers"),
        ("count", [5], "must be a list"),
        ("fromhex", [5], "must be a list of digits"),
        ("fromhex", ["0x1g!"], "'!' in '0x1g!' is not a digit"),
        ("dot", [[1, 2, 3], [1, 2]], "length of a (3) and the length of b (2) must be equal"),
        ("matmul", [[[1, 2]], [[1, 2]]], "columns of a (2) and the rows of b (1)"),
        ("matmul", [[[1, 2], [3]], [[1], [2]]], "rows of the same length"),
        ("matmul", [[], [[1]]], "rows of the same length"),
        ("det", [[[1, 2, 3], [4, 5, 6]]], "rows of a (2) and the columns of a (3)"),
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
