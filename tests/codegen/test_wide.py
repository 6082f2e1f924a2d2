"""Each 64-bit PTX instruction equals its definition in the PTX ISA, in Python's own integers."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.wide_frame import CORNERS, M32, M64, WORDS, Law, s, wrong

_random = random.Random(4)
X, Y = zip(*_random.sample([(a, b) for a in CORNERS for b in CORNERS], 512), strict=True)
Z = [_random.choice(CORNERS) for _ in X]


def field(a: int, at: int, size: int, extend: bool) -> int:
    at, size = at & 255, size & 255
    part = ((s(a) if extend else a) >> at) & ((1 << size) - 1)
    return part - (1 << size) if extend and size and part >> (size - 1) else part


def insert(part: int, whole: int, at: int, size: int) -> int:
    at, size = at & 255, size & 255
    mask = ((1 << size) - 1) << at & M64
    return (part << at & mask) | (whole & ~mask & M64)


def clamp(value: int, width: int, signed: bool) -> int:
    least = -(1 << (width - 1)) if signed else 0
    return min(max(value, least), (1 << (width - signed)) - 1)


ARITHMETIC: dict[str, Law] = {
    "add": ("add.s64 %rd0, %rd1, %rd2;", lambda a, b, c: a + b),
    "add to itself": ("add.s64 %rd1, %rd1, %rd1; mov.b64 %rd0, %rd1;", lambda a, b, c: 2 * a),
    "add constant": ("add.s64 %rd0, %rd1, -7;", lambda a, b, c: a - 7),
    "add large constant": (
        "add.u64 %rd0, %rd1, 0x123456789abcdef0;", lambda a, b, c: a + 0x123456789ABCDEF0,
    ),
    "add upper constant": ("add.s64 %rd0, 0x500000000, %rd1;", lambda a, b, c: a + (5 << 32)),
    "sub": ("sub.u64 %rd0, %rd1, %rd2;", lambda a, b, c: a - b),
    "sub from constant": ("sub.s64 %rd0, 100, %rd1;", lambda a, b, c: 100 - a),
    "sub constant": ("sub.s64 %rd0, %rd1, 0x100000001;", lambda a, b, c: a - 0x100000001),
    "neg": ("neg.s64 %rd0, %rd1;", lambda a, b, c: -a),
    "abs": ("abs.s64 %rd0, %rd1;", lambda a, b, c: abs(s(a))),
    "min.s64": ("min.s64 %rd0, %rd1, %rd2;", lambda a, b, c: min(s(a), s(b))),
    "min.u64": ("min.u64 %rd0, %rd1, %rd2;", lambda a, b, c: min(a, b)),
    "max.s64": ("max.s64 %rd0, %rd1, %rd2;", lambda a, b, c: max(s(a), s(b))),
    "max.u64": ("max.u64 %rd0, %rd1, %rd2;", lambda a, b, c: max(a, b)),
    "max constant": ("max.s64 %rd0, %rd1, -5;", lambda a, b, c: max(s(a), -5)),
    "sad.s64": ("sad.s64 %rd0, %rd1, %rd2, %rd3;", lambda a, b, c: c + abs(s(a) - s(b))),
    "sad.u64": ("sad.u64 %rd0, %rd1, %rd2, %rd3;", lambda a, b, c: c + abs(a - b)),
    "and": ("and.b64 %rd0, %rd1, %rd2;", lambda a, b, c: a & b),
    "or": ("or.b64 %rd0, %rd1, %rd2;", lambda a, b, c: a | b),
    "xor constant": ("xor.b64 %rd0, %rd1, 0x8000000000000001;",
                     lambda a, b, c: a ^ 0x8000000000000001),
    "not": ("not.b64 %rd0, %rd1;", lambda a, b, c: ~a),
    "three sums": ("add.s64 %rd0, %rd1, %rd2; sub.s64 %rd0, %rd0, %rd3; add.s64 %rd0, %rd0, 9;",
                   lambda a, b, c: a + b - c + 9),
}  # fmt: skip

PRODUCTS: dict[str, Law] = {
    "mul.lo": ("mul.lo.s64 %rd0, %rd1, %rd2;", lambda a, b, c: a * b),
    "mul.lo square": ("mul.lo.s64 %rd1, %rd1, %rd1; mov.u64 %rd0, %rd1;", lambda a, b, c: a * a),
    "mul.lo constant": ("mul.lo.u64 %rd0, %rd1, 6364136223846793005;",
                        lambda a, b, c: a * 6364136223846793005),
    "mul.lo small constant": ("mul.lo.s64 %rd0, -10, %rd1;", lambda a, b, c: a * -10),
    "mul.lo words": ("cvt.u64.u32 %rd4, %r1; cvt.u64.u32 %rd5, %r2; mul.lo.s64 %rd0, %rd4, %rd5;",
                     lambda a, b, c: (a & M32) * (b & M32)),
    "mul.hi.u64": ("mul.hi.u64 %rd0, %rd1, %rd2;", lambda a, b, c: a * b >> 64),
    "mul.hi.s64": ("mul.hi.s64 %rd0, %rd1, %rd2;", lambda a, b, c: s(a) * s(b) >> 64),
    "mul.hi constant": ("mul.hi.u64 %rd0, %rd1, 0xcccccccccccccccd;",
                        lambda a, b, c: a * 0xCCCCCCCCCCCCCCCD >> 64),
    "mul.wide.u32": ("mul.wide.u32 %rd0, %r1, %r2;", lambda a, b, c: (a & M32) * (b & M32)),
    "mul.wide.s32": ("mul.wide.s32 %rd0, %r1, %r2;", lambda a, b, c: s(a, 32) * s(b, 32)),
    "mul.wide constant": ("mul.wide.s32 %rd0, %r1, -12;", lambda a, b, c: s(a, 32) * -12),
    "mad.lo": ("mad.lo.s64 %rd0, %rd1, %rd2, %rd3;", lambda a, b, c: a * b + c),
    "mad.lo onto itself": ("mad.lo.s64 %rd1, %rd1, %rd2, %rd1; mov.b64 %rd0, %rd1;",
                           lambda a, b, c: a * b + a),
    "mad.hi": ("mad.hi.s64 %rd0, %rd1, %rd2, %rd3;", lambda a, b, c: (s(a) * s(b) >> 64) + c),
    "mad.wide.u32": ("mad.wide.u32 %rd0, %r1, %r2, %rd3;",
                     lambda a, b, c: (a & M32) * (b & M32) + c),
    "mad.wide.s32": ("mad.wide.s32 %rd0, %r1, 8, %rd3;", lambda a, b, c: s(a, 32) * 8 + c),
}  # fmt: skip

BITS: dict[str, Law] = {
    "shl": ("shl.b64 %rd0, %rd1, %r2;", lambda a, b, c: a << min(b & M32, 64)),
    "shr.u64": ("shr.u64 %rd0, %rd1, %r2;", lambda a, b, c: a >> min(b & M32, 64)),
    "shr.s64": ("shr.s64 %rd0, %rd1, %r2;", lambda a, b, c: s(a) >> min(b & M32, 64)),
    "shl of constant": ("shl.b64 %rd0, 1, %r2;", lambda a, b, c: 1 << min(b & M32, 64)),
    **{f"shl by {n}": (f"shl.b64 %rd0, %rd1, {n};", lambda a, b, c, n=n: a << n)
       for n in (0, 1, 31, 32, 33, 63, 64, 200)},
    **{f"shr.u64 by {n}": (f"shr.u64 %rd0, %rd1, {n};", lambda a, b, c, n=n: a >> n)
       for n in (0, 1, 31, 32, 33, 63, 64, 200)},
    **{f"shr.s64 by {n}": (f"shr.s64 %rd0, %rd1, {n};", lambda a, b, c, n=n: s(a) >> n)
       for n in (0, 1, 31, 32, 33, 63, 64, 200)},
    "popc": ("popc.b64 %r4, %rd1; cvt.u64.u32 %rd0, %r4;", lambda a, b, c: a.bit_count()),
    "clz": ("clz.b64 %r4, %rd1; cvt.u64.u32 %rd0, %r4;", lambda a, b, c: 64 - a.bit_length()),
    "brev": ("brev.b64 %rd0, %rd1;", lambda a, b, c: int(f"{a:064b}"[::-1], 2)),
    "bfind.u64": ("bfind.u64 %r4, %rd1; cvt.s64.s32 %rd0, %r4;",
                  lambda a, b, c: a.bit_length() - 1),
    "bfind.s64": ("bfind.s64 %r4, %rd1; cvt.s64.s32 %rd0, %r4;",
                  lambda a, b, c: (a if s(a) >= 0 else ~a & M64).bit_length() - 1),
    "bfind.shiftamt": ("bfind.shiftamt.u64 %r4, %rd1; cvt.s64.s32 %rd0, %r4;",
                       lambda a, b, c: 64 - a.bit_length() if a else -1),
    "bfe.u64": ("bfe.u64 %rd0, %rd1, %r2, %r3;", lambda a, b, c: field(a, b, c, False)),
    "bfe.s64": ("bfe.s64 %rd0, %rd1, %r2, %r3;", lambda a, b, c: field(a, b, c, True)),
    "bfe.u64 constant": ("bfe.u64 %rd0, %rd1, 20, 30;", lambda a, b, c: field(a, 20, 30, False)),
    "bfe.s64 constant": ("bfe.s64 %rd0, %rd1, 50, 40;", lambda a, b, c: field(a, 50, 40, True)),
    "bfe of nothing": ("bfe.s64 %rd0, %rd1, 5, 0;", lambda a, b, c: 0),
    "bfi": ("bfi.b64 %rd0, %rd1, %rd3, %r2, 17;", lambda a, b, c: insert(a, c, b, 17)),
    "bfi length": ("bfi.b64 %rd0, %rd1, %rd3, 9, %r2;", lambda a, b, c: insert(a, c, 9, b)),
    "bfi constant": ("bfi.b64 %rd0, %rd1, %rd3, 28, 12;", lambda a, b, c: insert(a, c, 28, 12)),
}  # fmt: skip

_HOLDS = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip
_NAMES = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def comparison(relation: str, type_: str, constant: int | None = None, left: bool = False) -> Law:
    holds = _HOLDS[_NAMES.get(relation, relation)]
    signed = type_ == "s64" and relation not in _NAMES
    first, second = ("%rd1", "%rd2") if constant is None else ("%rd1", str(constant))
    if left:
        first, second = second, first

    def law(a: int, b: int, c: int) -> int:
        x, y = a, b if constant is None else constant & M64
        if left:
            x, y = y, x
        return int(holds(s(x), s(y)) if signed else holds(x, y))

    body = f"setp.{relation}.{type_} %p1, {first}, {second}; selp.b64 %rd0, 1, 0, %p1;"
    return body, law


COMPARISONS: dict[str, Law] = {
    **{f"setp.{r}.{t}": comparison(r, t) for r in _HOLDS for t in ("s64", "u64")},
    **{f"setp.{r}.u64": comparison(r, "u64") for r in _NAMES},
    **{f"setp.{r}.{t} {n}": comparison(r, t, n)
       for r in _HOLDS for t, n in (("s64", 0), ("u64", 0), ("s64", -1), ("s64", (1 << 63) - 1),
                                    ("u64", M64), ("s64", -(1 << 63)), ("u64", 1 << 32),
                                    ("s64", 0x100000007))},
    **{f"setp.{r}.s64 10 on the left": comparison(r, "s64", 10, True) for r in _HOLDS},
    "both ways": ("setp.lt.s64 %p1|%p2, %rd1, %rd2; selp.b64 %rd0, 1, 0, %p1;"
                  "@%p2 add.s64 %rd0, %rd0, 2;", lambda a, b, c: 1 if s(a) < s(b) else 2),
    "combined": ("setp.eq.u64 %p0, %rd3, 0; setp.ge.or.u64 %p1, %rd1, %rd2, !%p0;"
                 "selp.b64 %rd0, 1, 0, %p1;", lambda a, b, c: int(a >= b or c != 0)),
    "selp": ("setp.gt.s64 %p1, %rd1, %rd2; selp.b64 %rd0, %rd3, -3, %p1;",
             lambda a, b, c: c if s(a) > s(b) else -3),
    "slct": ("slct.b64.s32 %rd0, %rd1, %rd2, %r3;", lambda a, b, c: a if s(c, 32) >= 0 else b),
    "set": ("set.le.u32.s64 %r4, %rd1, %rd2; cvt.u64.u32 %rd0, %r4;",
            lambda a, b, c: M32 if s(a) <= s(b) else 0),
    "zero-extended": ("cvt.u64.u32 %rd4, %r1; cvt.u64.u32 %rd5, %r2;"
                      "setp.lt.u64 %p1, %rd4, %rd5; setp.gt.s64 %p2, %rd4, %rd5;"
                      "selp.b64 %rd0, 1, 0, %p1; @%p2 add.s64 %rd0, %rd0, 2;",
                      lambda a, b, c: int(a & M32 < b & M32) + 2 * int(a & M32 > b & M32)),
}  # fmt: skip

_CVT = [
    (to, source)
    for to in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    for source in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    if "64" in to or "64" in source
]


def conversion(to: str, source: str, saturates: bool) -> Law:
    """The source comes from a 64-bit register; the result goes to one."""

    def law(a: int, b: int, c: int) -> int:
        width = int(source[1:])
        value = s(a, width) if source[0] == "s" else a & ((1 << width) - 1)
        bits = int(to[1:])
        if saturates:
            value = clamp(value, bits, to[0] == "s")
        value &= (1 << bits) - 1
        return s(value, bits) if to[0] == "s" else value

    return f"cvt{'.sat' if saturates else ''}.{to}.{source} %rd0, %rd1;", law


CONVERSIONS: dict[str, Law] = {
    **{f"cvt.{to}.{source}": conversion(to, source, False) for to, source in _CVT},
    **{f"cvt.sat.{to}.{source}": conversion(to, source, True) for to, source in _CVT
       if to != source},
    "cvt to a half": ("cvt.u16.u64 %rs1, %rd1; cvt.s64.s16 %rd0, %rs1;", lambda a, b, c: s(a, 16)),
    "cvt from a word": ("cvt.s64.s32 %rd0, %r1;", lambda a, b, c: s(a, 32)),
    "pack": ("mov.b64 %rd0, {%r2, %r1};", lambda a, b, c: (a & M32) << 32 | b & M32),
    "unpack": ("mov.b64 {%r4, %r5}, %rd1; mov.b64 %rd0, {%r5, %r4};",
               lambda a, b, c: a >> 32 | a << 32),
    "unpack onto its source": ("mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd0, {%r2, %r1};",
                               lambda a, b, c: a >> 32 | a << 32),
    "upper half": ("mov.b64 {_, %r5}, %rd1; cvt.u64.u32 %rd0, %r5;", lambda a, b, c: a >> 32),
    "four parts": ("mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd1;"
                   "mov.b64 %rd0, {%rs4, %rs3, %rs2, %rs1};",
                   lambda a, b, c: sum((a >> 16 * n & 0xFFFF) << 16 * (3 - n) for n in range(4))),
    "constant": ("mov.u64 %rd0, -2;", lambda a, b, c: -2),
}  # fmt: skip

GUARDED: dict[str, Law] = {
    "guarded sum": ("mov.u64 %rd0, %rd3; setp.lt.u64 %p1, %rd1, %rd2;"
                    "@%p1 add.s64 %rd0, %rd0, %rd1; @!%p1 sub.s64 %rd0, %rd0, %rd2;",
                    lambda a, b, c: c + a if a < b else c - b),
    "guarded product": ("mov.u64 %rd0, %rd3; setp.lt.s64 %p1, %rd1, %rd2;"
                        "@%p1 mul.lo.s64 %rd0, %rd0, %rd1;", lambda a, b, c: c * a
                        if s(a) < s(b) else c),
    "guarded comparison": ("setp.lt.s64 %p1, %rd1, %rd2; setp.ne.s64 %p2, %rd3, 0;"
                           "@%p2 setp.eq.u64 %p1, %rd1, %rd3; selp.b64 %rd0, 1, 0, %p1;",
                           lambda a, b, c: int(a == c if c else s(a) < s(b))),
    "guarded shift": ("mov.u64 %rd0, %rd3; setp.ge.u64 %p1, %rd1, %rd2;"
                      "@%p1 shl.b64 %rd0, %rd1, %r2;",
                      lambda a, b, c: a << min(b & M32, 64) if a >= b else c),
    "guarded division": ("mov.u64 %rd0, 5; setp.ne.s64 %p1, %rd2, 0;"
                         "@%p1 div.u64 %rd0, %rd1, %rd2;", lambda a, b, c: a // b if b else 5),
    "guarded load": ("mov.u64 %rd0, %rd3; setp.ge.u64 %p1, %rd1, %rd2;"
                     "add.s64 %rd4, %rd10, %rd14; @%p1 ld.global.u64 %rd0, [%rd4];",
                     lambda a, b, c: a if a >= b else c),
    "a loop": ("and.b64 %rd4, %rd1, 7; mov.u64 %rd0, %rd2; A: setp.eq.s64 %p1, %rd4, 0;"
               "@%p1 bra B; mad.lo.s64 %rd0, %rd0, 3, %rd4; add.s64 %rd4, %rd4, -1; bra A; B:",
               lambda a, b, c: _loop(a & 7, b)),
}  # fmt: skip


def _loop(n: int, value: int) -> int:
    while n:
        value, n = value * 3 + n, n - 1
    return value


LAWS = ARITHMETIC | PRODUCTS | BITS | COMPARISONS | CONVERSIONS | GUARDED


@pytest.mark.parametrize("name", LAWS)
def test_instruction_equals_its_definition(name: str) -> None:
    assert wrong(LAWS[name], X, Y, Z) == []


TRIPLES = st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=64)
SHOWN = sorted(ARITHMETIC | PRODUCTS | BITS | GUARDED) + [
    f"setp.{r}.{t}" for r in _HOLDS for t in ("s64", "u64")
]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SHOWN), TRIPLES)
def test_laws_hold_for_any_numbers(name: str, triples: list[tuple[int, int, int]]) -> None:
    x, y, z = (list(column) for column in zip(*triples, strict=True))
    assert wrong(LAWS[name], x, y, z) == []
