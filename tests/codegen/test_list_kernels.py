"""The prebuilt kernels on lists, matrices, digits and primes, against Python's own.

Where many lanes work for long the network runs them, as the interpreter would take longer.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.kernel_checks import (
    catalog,
    check,
    integers,
    launch,
    lists,
    machine,
    network,
    small_lists,
)
from tests.codegen.kernel_oracles import HIGHEST, LOWEST

LISTS = ["sum", "product", "count", "mean", "median", "mode", "min", "max", "range", "variance",
         "sumsq", "sort", "sortdesc"]  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
@settings(max_examples=10, deadline=None)
@given(a=st.one_of(lists, small_lists))
def test_lists(name: str, a: list[int]) -> None:
    check(name, a)


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_every_shape(name: str) -> None:
    draw = random.Random(name)
    for length in (0, 1, 2, 3, 31, 33):
        check(name, [draw.randrange(LOWEST, HIGHEST) for _ in range(length)], on=network())
        check(name, [draw.randrange(-9, 10) for _ in range(length)], on=network())
        check(name, [draw.choice([LOWEST, HIGHEST])] * length, on=network())


@pytest.mark.parametrize("name", LISTS)
def test_long_lists(name: str) -> None:
    draw = random.Random(1)
    many = 129 if name in ("sort", "sortdesc", "median", "mode") else 1000
    check(name, [draw.randrange(-(2**28), 2**28) for _ in range(many)], on=network())


@pytest.mark.parametrize(
    ("name", "a"),
    [
        ("product", [0, HIGHEST, HIGHEST]), ("product", [HIGHEST, HIGHEST, 0]),
        ("product", [-1, LOWEST]), ("product", [LOWEST, 1, 1]), ("product", [2] * 62),
        ("product", [2] * 63), ("product", [-2] * 63), ("product", [-2] * 64),
        ("product", [2**32, 2**32]), ("product", [2**40] * 33), ("product", [-1] * 33),
        ("sumsq", [3037000499]), ("sumsq", [3037000500]), ("sumsq", [LOWEST]),
        ("sumsq", [2**31] * 2), ("sumsq", [-(2**31) - 1]), ("range", [0, LOWEST]),
        ("range", [-1, LOWEST]), ("range", [HIGHEST, -1]), ("median", [HIGHEST, HIGHEST]),
        ("median", [LOWEST, HIGHEST]), ("median", [-3, -2]), ("median", [HIGHEST, HIGHEST - 1]),
        ("mode", [2, 1, 2, 1, 3]), ("mode", [3, 2, 1]), ("mode", [LOWEST, HIGHEST, LOWEST]),
        ("mean", [HIGHEST] * 3), ("mean", [LOWEST] * 3), ("mean", [-1, 0]), ("mean", [LOWEST, 1]),
        ("variance", [LOWEST, HIGHEST]), ("variance", [0, 2**32]), ("variance", [0, 2**33]),
        ("variance", [HIGHEST, HIGHEST - 3, HIGHEST - 7]), ("variance", [1, 2]),
        ("variance", [LOWEST, LOWEST + 2**31, LOWEST + 5]), ("sum", [HIGHEST, 1, -1]),
        ("sum", [HIGHEST, 1]), ("sum", [LOWEST, -1]), ("sum", [LOWEST, LOWEST, HIGHEST, HIGHEST]),
    ],
)  # fmt: skip
def test_edges(name: str, a: list[int]) -> None:
    check(name, a)


@settings(max_examples=15, deadline=None)
@given(pairs=st.lists(st.tuples(integers, integers), max_size=40))
def test_dot(pairs: list[tuple[int, int]]) -> None:
    check("dot", [a for a, _ in pairs], [b for _, b in pairs])


@pytest.mark.parametrize("length", [0, 1, 3, 4, 33])
def test_dot_of_every_shape(length: int) -> None:
    draw = random.Random(length)
    for low, high in ((-(2**28), 2**28), (LOWEST, HIGHEST)):
        a, b = ([draw.randint(low, high) for _ in range(length)] for _ in range(2))
        check("dot", a, b, on=network())
    for a, b in ((LOWEST, HIGHEST), (3037000500, 3037000500), (LOWEST, LOWEST)):
        # Products that are too large by themselves and cancel, and some that do not.
        check("dot", [a] * length, [b if i % 2 else -b - 1 for i in range(length)], on=network())
        check("dot", [a] * length, [b] * length, on=network())


def test_the_largest_products_that_are_not_added_again() -> None:
    check("dot", [2**28 - 1] * 31, [2**28 - 1] * 31, on=network())
    check("dot", [-(2**28)] * 31, [2**28 - 1] * 31, on=network())


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
    check("matmul", a, b, on=network())


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_determinant(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 4))
    numbers = data.draw(st.sampled_from([integers, st.integers(-2, 2), st.integers(-99, 99)]))
    row = st.lists(numbers, min_size=n, max_size=n)
    check("det", data.draw(st.lists(row, min_size=n, max_size=n)))


@pytest.mark.parametrize(
    "a",
    [
        [[0]], [[LOWEST]], [[0, 1], [1, 0]], [[0, 1], [1, LOWEST + 1]], [[1, 2], [2, 4]],
        [[0, 0, 1], [0, 1, 0], [1, 0, 0]], [[2, 4, 6], [1, 2, 3], [5, 7, 9]],
        [[0, 2**32], [2**31, 0]], [[0, 2**32], [2**31 - 1, 0]], [[2**32, 0], [0, 2**31]],
        [[2**40, 1, 0], [1, 2**40, 0], [0, 0, 0]], [[8, 4, 2], [4, 8, 4], [2, 4, 8]],
        [[LOWEST, 1, 0], [0, 1, 0], [0, 0, 1]], [[2**62, 3], [1, 1]], [[0, 0], [0, 5]],
    ],
)  # fmt: skip
def test_determinant_edges(a: list[list[int]]) -> None:
    check("det", a)


@pytest.mark.parametrize("n", [5, 8])
def test_determinant_of_larger_matrices(n: int) -> None:
    draw = random.Random(n)
    check("det", [[draw.randint(-3, 3) for _ in range(n)] for _ in range(n)], on=network())


def test_every_small_number_is_prime_or_not() -> None:
    for n in range(-3, 70):
        check("isprime", n, on=network())


@pytest.mark.parametrize(
    "n",
    [2047, 1373653, 25326001, 314821, 4759123141, 7 * 61, 61 * 61, 2147483647,
     2147483629, 46337 * 46327, 2147483648, 2147483659, 4294967291, LOWEST, HIGHEST,
     3037000493 * 3037000453, 2**61 - 1, 9223372036854775783, 3825123056546413051,
     341550071728321],
)  # fmt: skip
def test_prime_impostors(n: int) -> None:
    """Strong pseudoprimes to some of the bases, squares, products of two primes, great primes."""
    check("isprime", n, on=network())


@settings(max_examples=12, deadline=None)
@given(n=st.integers(0, 2**31 - 1))
def test_primes(n: int) -> None:
    check("isprime", n | 1)


@pytest.mark.parametrize("n", [LOWEST, 0, 1, 2, 3, 4, 61, 1327, 2**31 - 2])
def test_next_prime(n: int) -> None:
    check("nextprime", n, on=network())


def test_there_is_no_next_prime_in_64_bits() -> None:
    assert launch("nextprime", [HIGHEST], network())[0] == 1


@pytest.mark.parametrize("name", ["countprimes", "primesbelow"])
def test_primes_below(name: str) -> None:
    for n in (LOWEST, *range(6), 9, 10, 25, 26, 66, 121, 122, 961):
        check(name, n, on=network())


def test_primes_of_several_segments() -> None:
    check("primesbelow", 3000, on=network())
    check("countprimes", 26_000, on=network())


def test_more_primes_than_there_is_room_for() -> None:
    check("primesbelow", 10_001)
    check("countprimes", 1_000_001)


@settings(max_examples=20, deadline=None)
@given(n=integers, base=st.integers(1, 37))
def test_digits(n: int, base: int) -> None:
    for name in ("tohex", "tobin", "digitsum", "popcount"):
        check(name, n)
    check("tobase", n, base)


@settings(max_examples=8, deadline=None)
@given(n=st.integers(0, 2**63 - 1), base=st.integers(2, 36))
def test_digits_there_and_back(n: int, base: int) -> None:
    for there, back, more in (("tohex", "fromhex", ()), ("tobin", "frombin", ()),
                              ("tobase", "frombase", (base,))):  # fmt: skip
        _, digits, _ = launch(there, [n, *more], machine())
        _, number, _ = launch(back, [digits, *more], machine())
        assert number == n
        _, number, _ = launch(back, [catalog[there].write(digits), *more], machine())
        assert number == n


@settings(max_examples=40, deadline=None)
@given(digits=st.lists(st.integers(-1, 17), max_size=20), base=st.integers(1, 37))
def test_from_any_digits(digits: list[int], base: int) -> None:
    check("fromhex", digits)
    check("frombin", [digit % 3 for digit in digits])
    if 2 <= base <= 36 and all(0 <= digit < base for digit in digits):
        check("frombase", digits, base)


@pytest.mark.parametrize(
    ("name", "args"),
    [("fromhex", ["0x7fffffffffffffff"]), ("fromhex", ["8000000000000000"]),
     ("fromhex", ["0000000000000000001"]), ("frombin", ["0b" + "1" * 63]),
     ("frombin", ["1" * 64]), ("frombase", ["zz", 36]), ("frombase", [[1], 2**32 + 2]),
     ("frombase", [[], 10]), ("fromhex", [[]]), ("frombin", [[2**32]]), ("tohex", [0]),
     ("tobase", [0, 2]), ("tobase", [5, 2**32 + 2]), ("frombase", [[9] * 19, 10])],
)  # fmt: skip
def test_digit_edges(name: str, args: list[object]) -> None:
    check(name, *args)
