"""64-bit division and remainder: exact for every divisor, in few passes, a fault when it is 0."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codegen
import vgpu
from tests.codegen.wide_frame import CORNERS, M64, WORDS, evaluate, s

OPS = ("div.u64", "rem.u64", "div.s64", "rem.s64")


def expected(op: str, x: int, d: int) -> int:
    """C's division: rounds towards zero; the remainder has the sign of the dividend."""
    if op.endswith("u64"):
        return x // d if op.startswith("div") else x % d
    a, b = s(x), s(d)
    q = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
    return (q if op.startswith("div") else a - q * b) & M64


def corners() -> list[tuple[int, int]]:
    near = sorted({(v + e) & M64 for n in range(65) for v in [1 << n] for e in (-2, -1, 0, 1, 2)})
    pairs = [(x, d) for x in near for d in near if d]
    return random.Random(1).sample(pairs, 1200) + [(x, d) for x in CORNERS for d in CORNERS if d]


def edges() -> list[tuple[int, int]]:
    """Dividends at a multiple of the divisor and just below it, where a quotient turns over."""
    found = []
    source = random.Random(2)
    for _ in range(400):
        d = source.getrandbits(source.randint(1, 64)) or 1
        q = source.randint(0, M64 // d)
        found += [(q * d, d), (max(q * d - 1, 0), d), (min(q * d + d - 1, M64), d)]
    return found


def wrong(op: str, pairs: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    x, d = [p[0] for p in pairs], [p[1] for p in pairs]
    got = evaluate(f"{op} %rd0, %rd1, %rd2;", x, d, d)
    return [(a, b, r) for a, b, r in zip(x, d, got, strict=True) if r != expected(op, a, b)]


@pytest.mark.parametrize("op", OPS)
def test_division_by_a_variable(op: str) -> None:
    assert wrong(op, corners() + edges()) == []


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(OPS), st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=64)
)
def test_division_of_any_numbers(op: str, pairs: list[tuple[int, int]]) -> None:
    assert wrong(op, pairs) == []


@settings(max_examples=80, deadline=None)
@given(
    WORDS.filter(bool),
    st.sampled_from(OPS),
    st.lists(WORDS, min_size=1, max_size=40),
)
def test_division_by_a_constant(d: int, op: str, x: list[int]) -> None:
    x = [*x, 0, 1, d - 1, d, (d + 1) & M64, 2 * d & M64, 2 * d - 1 & M64, M64, M64 - 1, 1 << 63]
    x += [(1 << 63) - 1, M64 // d * d, M64 // d * d - 1 & M64, -d & M64]
    got = evaluate(f"{op} %rd0, %rd1, {d};", x, x, x)
    assert got == [expected(op, a, d) for a in x]


@pytest.mark.parametrize("d", [1, 2, 3, 5, 6, 7, 10, 14, 28, 641, 1 << 32, (1 << 32) - 1, M64 - 1])
def test_division_by_common_constants(d: int) -> None:
    x = [a & M64 for n in range(0, 65, 3) for a in ((1 << n) - 1, 1 << n, d << n, (d << n) - 1)]
    for op in OPS:
        for divisor in (d, -d & M64):
            got = evaluate(f"{op} %rd0, %rd1, {s(divisor)};", x, x, x)
            assert got == [expected(op, a, divisor) for a in x], (op, divisor)


def passes(body: str, x: int, d: int) -> int:
    text = f"""
    .version 6.3
    .target sm_75
    .address_size 32
    .visible .entry k(.param .u64 x, .param .u64 d, .param .u32 .ptr out)
    {{
        .reg .b64 %rd<9>;
        .reg .b32 %r<9>;
        ld.param.u64 %rd1, [x];
        ld.param.u64 %rd2, [d];
        ld.param.u32 %r3, [out];
        {body}
        st.global.u64 [%r3], %rd1;
        ret;
    }}
    """
    program = codegen.ptx_to_program(text)
    inputs = {"x": x, "d": d}
    run = vgpu.Machine(engine="interpreter").run(program, inputs, {"out": ("u64", 1)})
    return int(run.instructions)


@pytest.mark.parametrize(
    ("body", "x", "d", "most"),
    [
        ("div.u64 %rd1, %rd1, %rd2;", 1000003, 77, 58),
        ("rem.u64 %rd1, %rd1, %rd2;", 1 << 60, 1000000007, 68),
        ("div.u64 %rd1, %rd1, %rd2;", 1 << 60, 1 << 40, 68),
        ("div.s64 %rd1, %rd1, %rd2;", 1 << 60, 1000000007, 84),
        ("div.u64 %rd1, %rd1, 10;", 1 << 60, 1, 20),
        ("rem.u64 %rd1, %rd1, 10;", 1 << 60, 1, 26),
        ("div.s64 %rd1, %rd1, 10;", 1 << 60, 1, 30),
        ("div.u64 %rd1, %rd1, 8;", 1 << 60, 1, 2),
    ],
)
def test_division_takes_few_passes(body: str, x: int, d: int, most: int) -> None:
    assert passes(body, x, d) - passes("", x, d) <= most


def test_division_by_zero_is_a_fault() -> None:
    with pytest.raises(vgpu.errors.FaultError, match="zero"):
        evaluate("rem.s64 %rd0, %rd1, %rd2;", [5], [0], [0])
