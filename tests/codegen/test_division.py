"""Division and remainder: exact for every divisor, in few passes, and a fault when it is 0."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codegen
import vgpu
from codegen.clang import find_clang
from codegen.lower import library

Evaluate = Callable[..., list[int]]
M = 0xFFFFFFFF
WORDS = st.integers(0, M) | st.integers(0, 300) | st.sampled_from([1 << n for n in range(32)])


def s(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def expected(op: str, x: int, d: int) -> int:
    """C's division: rounds towards zero; the remainder has the sign of the dividend."""
    if op.endswith("u32"):
        return x // d if op.startswith("div") else x % d
    a, b = s(x), s(d)
    q = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
    return (q if op.startswith("div") else a - q * b) & M


def corners() -> list[tuple[int, int]]:
    near = sorted(
        {(v + e) & M for n in range(33) for v in [1 << n] for e in (-2, -1, 0, 1, 2)} | {3, 5, 10}
    )
    pairs = [(x, d) for x in near for d in near if d]
    return random.Random(1).sample(pairs, 1800)


def edges() -> list[tuple[int, int]]:
    """Dividends at a multiple of the divisor and just below it, where a quotient turns over."""
    found = []
    source = random.Random(2)
    for _ in range(600):
        d = source.getrandbits(source.randint(1, 32)) or 1
        q = source.randint(0, M // d)
        found += [(q * d, d), (max(q * d - 1, 0), d), (min(q * d + d - 1, M), d)]
    return found


@pytest.mark.parametrize("op", ["div.u32", "rem.u32", "div.s32", "rem.s32"])
def test_division_by_a_variable(op: str, evaluate: Evaluate) -> None:
    pairs = corners() + edges()
    x, d = [p[0] for p in pairs], [p[1] for p in pairs]
    got = evaluate(f"{op} %r0, %r1, %r2;", x, d)
    wrong = [(a, b) for a, b, r in zip(x, d, got, strict=True) if r != expected(op, a, b)]
    assert wrong == []


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=64))
def test_quotient_and_remainder_make_the_dividend(
    evaluate: Evaluate, pairs: list[tuple[int, int]]
) -> None:
    x, d = [p[0] for p in pairs], [p[1] for p in pairs]
    body = "div.u32 %r4, %r1, %r2; rem.u32 %r5, %r1, %r2; mad.lo.u32 %r0, %r4, %r2, %r5;"
    assert evaluate(body, x, d) == x


@settings(max_examples=40, deadline=None)
@given(WORDS.filter(bool), st.sampled_from(["div.u32", "rem.u32", "div.s32", "rem.s32"]))
def test_division_by_a_constant(evaluate: Evaluate, d: int, op: str) -> None:
    x = [0, 1, 2, d - 1, d, (d + 1) & M, (2 * d - 1) & M, (2 * d) & M, M, M - 1, 1 << 31]
    x += [(1 << 31) - 1, (M // d) * d, (M // d) * d - 1 & M, -d & M]
    got = evaluate(f"{op} %r0, %r1, {d};", x, x)
    assert got == [expected(op, a, d) for a in x]


def _passes(body: str) -> int:
    text = f"""
    .version 6.3
    .target sm_75
    .address_size 32
    .visible .entry k(.param .u32 x, .param .u32 d, .param .u32 .ptr out)
    {{
        .reg .b32 %r<9>;
        ld.param.u32 %r1, [x];
        ld.param.u32 %r2, [d];
        ld.param.u32 %r3, [out];
        {body}
        st.global.u32 [%r3], %r1;
        ret;
    }}
    """
    program = codegen.ptx_to_program(text)
    run = vgpu.Machine(engine="interpreter").run(program, {"x": 1000003, "d": 77}, {"out": 1})
    return int(run.instructions)


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ("div.u32 %r1, %r1, %r2;", 40),
        ("rem.u32 %r1, %r1, %r2;", 40),
        ("div.u32 %r1, %r1, 10;", 8),
        ("div.u32 %r1, %r1, 7;", 8),
        ("rem.u32 %r1, %r1, 10;", 8),
        ("div.s32 %r1, %r1, 10;", 8),
    ],
)
def test_division_takes_few_passes(body: str, most: int) -> None:
    assert _passes(body) - _passes("") <= most


def test_division_by_zero_is_a_fault_at_its_line() -> None:
    source = "__global__ void k(int *o, int a, int b) {\n  *o = a / b;\n}\n"
    if find_clang() is None:
        pytest.skip("no clang")
    program = codegen.compile_source(source, name="zero.cu")
    with pytest.raises(vgpu.errors.FaultError, match="zero"):
        vgpu.Machine(engine="interpreter").run(program, {"a": 1, "b": 0})
    traps = [p for word, p in zip(program.code, program.source, strict=True) if _is_trap(word)]
    assert [(p.file, p.line) for p in traps if p] == [("zero.cu", 2)]


def _is_trap(word: int) -> bool:
    decoded = vgpu.isa.decode(word)
    return decoded is not None and decoded.op == "trap"


@pytest.mark.parametrize("source", library.SOURCES, ids=lambda path: path.stem)
def test_the_library_is_compiled_from_its_source(source: Path) -> None:
    clang = find_clang()
    if clang is None or clang.version != 22:
        pytest.skip("the shipped library was compiled by clang 22")
    shipped = source.with_suffix(".ptx").read_text(encoding="utf-8")
    assert library.compile_library(source) == shipped
