"""Each PTX instruction equals its definition in the PTX ISA, over corner values and random ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import pytest

Evaluate = Callable[..., list[int]]
M = 0xFFFFFFFF
CORNERS = [
    0, 1, 2, 3, 5, 7, 10, 31, 32, 33, 63, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 65536,
    0x7FFFFFFF, 0x80000000, 0x80000001, 0xAAAAAAAA, 0xFFFF0000, 0xFFFF8000, 0xFFFFFF80,
    0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF,
]  # fmt: skip


def s(value: int, width: int = 32) -> int:
    """The low `width` bits as a signed number."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


X = [a for a in CORNERS for _ in CORNERS]
Y = [b for _ in CORNERS for b in CORNERS]
_random = random.Random(20)
for _ in range(60):
    X.append(_random.getrandbits(32))
    Y.append(_random.getrandbits(_random.choice([3, 5, 8, 16, 32])))
Z = [_random.choice(CORNERS) for _ in X]


def s16(v: int) -> int:
    return int(s(v, 16))


def shift(op: str, a: int, n: int) -> int:
    n = min(n, 32)
    return {"shl": a << n, "shr": a >> n, "sar": s(a) >> n}[op] & M


def bit_field(a: int, at: int, size: int, extend: bool) -> int:
    at, size = at & 255, size & 255
    wide = s(a) if extend else a
    field = (wide >> at) & ((1 << size) - 1)
    if extend and size and field >> (size - 1):
        field -= 1 << size
    return field & M


def insert(part: int, whole: int, at: int, size: int) -> int:
    at, size = at & 255, size & 255
    mask = ((1 << size) - 1) << at & M
    return (part << at & mask) | (whole & ~mask & M)


def lowest_wins(a: int) -> int:
    return 32 - a.bit_length()


LAWS: dict[str, tuple[str, Callable[[int, int, int], int]]] = {
    "add": ("add.s32 %r0, %r1, %r2;", lambda a, b, c: a + b),
    "add constant": ("add.s32 %r0, %r1, -7;", lambda a, b, c: a - 7),
    "sub": ("sub.u32 %r0, %r1, %r2;", lambda a, b, c: a - b),
    "sub from constant": ("sub.s32 %r0, 100, %r1;", lambda a, b, c: 100 - a),
    "sub from -1": ("sub.s32 %r0, -1, %r1;", lambda a, b, c: -1 - a),
    "neg": ("neg.s32 %r0, %r1;", lambda a, b, c: -a),
    "abs": ("abs.s32 %r0, %r1;", lambda a, b, c: abs(s(a))),
    "mul.lo": ("mul.lo.s32 %r0, %r1, %r2;", lambda a, b, c: a * b),
    "mul.hi.u32": ("mul.hi.u32 %r0, %r1, %r2;", lambda a, b, c: a * b >> 32),
    "mul.hi.s32": ("mul.hi.s32 %r0, %r1, %r2;", lambda a, b, c: s(a) * s(b) >> 32),
    "mul.hi constant": ("mul.hi.u32 %r0, 715827883, %r1;", lambda a, b, c: a * 715827883 >> 32),
    "mad.lo": ("mad.lo.s32 %r0, %r1, %r2, %r3;", lambda a, b, c: a * b + c),
    "mad.hi": ("mad.hi.s32 %r0, %r1, %r2, %r3;", lambda a, b, c: (s(a) * s(b) >> 32) + c),
    "mad constants": ("mad.lo.s32 %r0, %r1, 10, 3;", lambda a, b, c: a * 10 + 3),
    "mul24": ("mul24.lo.u32 %r0, %r1, %r2;", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "sad": ("sad.s32 %r0, %r1, %r2, %r3;", lambda a, b, c: c + abs(s(a) - s(b))),
    "min.s32": ("min.s32 %r0, %r1, %r2;", lambda a, b, c: min(s(a), s(b))),
    "max.u32": ("max.u32 %r0, %r1, %r2;", lambda a, b, c: max(a, b)),
    "max constant": ("max.s32 %r0, 5, %r1;", lambda a, b, c: max(s(a), 5)),
    "and": ("and.b32 %r0, %r1, %r2;", lambda a, b, c: a & b),
    "or": ("or.b32 %r0, %r1, %r2;", lambda a, b, c: a | b),
    "xor": ("xor.b32 %r0, %r1, %r2;", lambda a, b, c: a ^ b),
    "not": ("not.b32 %r0, %r1;", lambda a, b, c: ~a),
    "lop3": ("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", lambda a, b, c: a ^ b ^ c),
    "shl": ("shl.b32 %r0, %r1, %r2;", lambda a, b, c: shift("shl", a, b)),
    "shr.u32": ("shr.u32 %r0, %r1, %r2;", lambda a, b, c: shift("shr", a, b)),
    "shr.s32": ("shr.s32 %r0, %r1, %r2;", lambda a, b, c: shift("sar", a, b)),
    "shift of constant": ("shl.b32 %r0, -1, %r2;", lambda a, b, c: shift("shl", M, b)),
    "shf.l.wrap": (
        "shf.l.wrap.b32 %r0, %r1, %r3, %r2;",
        lambda a, b, c: ((c << 32 | a) << (b & 31)) >> 32,
    ),
    "shf.r.clamp": (
        "shf.r.clamp.b32 %r0, %r1, %r3, %r2;",
        lambda a, b, c: (c << 32 | a) >> min(b, 32),
    ),
    "shf constant": ("shf.l.wrap.b32 %r0, %r1, %r1, 5;", lambda a, b, c: a << 5 | a >> 27),
    "bfe.u32": ("bfe.u32 %r0, %r1, %r2, %r3;", lambda a, b, c: bit_field(a, b, c, False)),
    "bfe.s32": ("bfe.s32 %r0, %r1, %r2, %r3;", lambda a, b, c: bit_field(a, b, c, True)),
    "bfe.u32 constant": ("bfe.u32 %r0, %r1, 5, 9;", lambda a, b, c: bit_field(a, 5, 9, False)),
    "bfe.s32 constant": ("bfe.s32 %r0, %r1, 5, 9;", lambda a, b, c: bit_field(a, 5, 9, True)),
    "bfe.s32 at the top": ("bfe.s32 %r0, %r1, 30, 9;", lambda a, b, c: bit_field(a, 30, 9, True)),
    "bfi": ("bfi.b32 %r0, %r1, %r3, %r2, 7;", lambda a, b, c: insert(a, c, b, 7)),
    "bfi constant": ("bfi.b32 %r0, %r1, %r3, 4, 8;", lambda a, b, c: insert(a, c, 4, 8)),
    "prmt": (
        "prmt.b32 %r0, %r1, %r2, 0x4021;",
        lambda a, b, c: a >> 8 & 255 | (a >> 16 & 255) << 8 | (a & 255) << 16 | (b & 255) << 24,
    ),
    "prmt sign": ("prmt.b32 %r0, %r1, 0, 0x8880;", lambda a, b, c: s(a, 8)),
    "popc": ("popc.b32 %r0, %r1;", lambda a, b, c: a.bit_count()),
    "clz": ("clz.b32 %r0, %r1;", lambda a, b, c: lowest_wins(a)),
    "brev": ("brev.b32 %r0, %r1;", lambda a, b, c: int(f"{a:032b}"[::-1], 2)),
    "bfind.u32": ("bfind.u32 %r0, %r1;", lambda a, b, c: a.bit_length() - 1),
    "bfind.s32": (
        "bfind.s32 %r0, %r1;",
        lambda a, b, c: (a if s(a) >= 0 else ~a & M).bit_length() - 1,
    ),
    "selp": (
        "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r0, %r1, 99, %p1;",
        lambda a, b, c: a if s(a) < s(b) else 99,
    ),
    "selp constants": (
        "setp.hs.u32 %p1, %r1, %r2; selp.b32 %r0, 3, 4, %p1;",
        lambda a, b, c: 3 if a >= b else 4,
    ),
    "slct": ("slct.u32.s32 %r0, %r1, %r2, %r3;", lambda a, b, c: a if s(c) >= 0 else b),
    "set": ("set.le.u32.s32 %r0, %r1, %r2;", lambda a, b, c: M if s(a) <= s(b) else 0),
    "setp and": (
        "setp.eq.s32 %p0, %r3, 0; setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p0;"
        "selp.b32 %r0, 1, 0, %p1; @%p2 add.s32 %r0, %r0, 2;",
        lambda a, b, c: (s(a) < s(b) and c != 0) + 2 * (not s(a) < s(b) and c != 0),
    ),
    "predicate logic": (
        "setp.gt.u32 %p0, %r1, %r2; setp.ne.b32 %p1, %r3, 0; not.pred %p2, %p1;"
        "and.pred %p3, %p0, %p2; or.pred %p4, %p2, %p0; xor.pred %p5, %p3, %p4;"
        "selp.b32 %r0, 1, 0, %p5;",
        lambda a, b, c: int(((a > b) and c == 0) != ((a > b) or c == 0)),
    ),
    "guarded": (
        "setp.lt.u32 %p0, %r1, %r2; @%p0 add.s32 %r0, %r1, %r2; @!%p0 sub.s32 %r0, %r1, %r2;",
        lambda a, b, c: a + b if a < b else a - b,
    ),
    "guarded division": (
        "setp.ne.s32 %p0, %r2, 0; mov.u32 %r0, 5; @%p0 div.u32 %r0, %r1, %r2;",
        lambda a, b, c: a // b if b else 5,
    ),
    "vector move": (
        "mov.b32 {%rs1, %rs2}, %r1; mov.b32 %r0, {%rs2, %rs1};",
        lambda a, b, c: a >> 16 | a << 16,
    ),
    "nested scope": (
        "{ .reg .b32 %r1; mov.u32 %r1, 4; add.s32 %r0, %r1, %r2; } add.s32 %r0, %r0, %r1;",
        lambda a, b, c: 4 + b + a,
    ),
    "brx.idx": (
        "and.b32 %r5, %r1, 1; ts: .branchtargets A, B; brx.idx %r5, ts;"
        "A: mov.u32 %r0, 7; bra.uni E; B: mov.u32 %r0, 9; E: add.s32 %r0, %r0, %r2;",
        lambda a, b, c: (9 if a & 1 else 7) + b,
    ),
}

NARROW: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "add.s16": ("add.s16 %rs0, %rs1, %rs2;", lambda a, b: a + b),
    "sub.u16": ("sub.u16 %rs0, %rs1, %rs2;", lambda a, b: a - b),
    "mul.lo.u16": ("mul.lo.u16 %rs0, %rs1, %rs2;", lambda a, b: a * b),
    "mul.hi.u16": ("mul.hi.u16 %rs0, %rs1, %rs2;", lambda a, b: (a & 65535) * (b & 65535) >> 16),
    "mul.hi.s16": ("mul.hi.s16 %rs0, %rs1, %rs2;", lambda a, b: s16(a) * s16(b) >> 16),
    "mad.lo.s16": ("mad.lo.s16 %rs0, %rs1, %rs2, %rs1;", lambda a, b: a * b + a),
    "min.s16": ("min.s16 %rs0, %rs1, %rs2;", lambda a, b: min(s16(a), s16(b))),
    "max.u16": ("max.u16 %rs0, %rs1, %rs2;", lambda a, b: max(a & 65535, b & 65535)),
    "abs.s16": ("abs.s16 %rs0, %rs1;", lambda a, b: abs(s16(a))),
    "not.b16": ("not.b16 %rs0, %rs1;", lambda a, b: ~a),
    "shl.b16": ("and.b32 %r5, %r2, 31; shl.b16 %rs0, %rs1, %r5;", lambda a, b: a << (b & 31)),
    "shr.u16": ("shr.u16 %rs0, %rs1, %r2;", lambda a, b: (a & 65535) >> min(b, 16)),
    "shr.s16": ("shr.s16 %rs0, %rs1, %r2;", lambda a, b: s16(a) >> min(b, 16)),
    "div.s16": ("or.b16 %rs2, %rs2, 1; div.s16 %rs0, %rs1, %rs2;",
                lambda a, b: int(s16(a) / s16(b | 1))),
    "rem.u16 constant": ("rem.u16 %rs0, %rs1, 10;", lambda a, b: (a & 65535) % 10),
    "cvt.s16.s8": ("cvt.s16.s8 %rs0, %rs1;", lambda a, b: s(a, 8)),
    "cvt.u16.u8": ("cvt.u16.u8 %rs0, %rs1;", lambda a, b: a & 255),
    "cvt.u16.s8": ("cvt.u16.s8 %rs0, %rs1;", lambda a, b: s(a, 8)),
    "cvt.sat.u8.s16": ("cvt.sat.u8.s16 %rs0, %rs1;", lambda a, b: min(max(s16(a), 0), 255)),
    "setp.lt.s16": ("setp.lt.s16 %p1, %rs1, %rs2; selp.b16 %rs0, 1, 0, %p1;",
                    lambda a, b: s16(a) < s16(b)),
    "setp.eq.b16": ("setp.eq.b16 %p1, %rs1, -1; selp.b16 %rs0, 1, 0, %p1;",
                    lambda a, b: a & 65535 == 65535),
}  # fmt: skip

WIDENING: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "mul.wide.u16": ("mul.wide.u16 %r0, %rs1, %rs2;", lambda a, b: (a & 65535) * (b & 65535)),
    "mul.wide.s16": ("mul.wide.s16 %r0, %rs1, %rs2;", lambda a, b: s16(a) * s16(b)),
    "mad.wide.s16": ("mad.wide.s16 %r0, %rs1, %rs2, %r2;", lambda a, b: s16(a) * s16(b) + b),
    "cvt.s32.s16": ("cvt.s32.s16 %r0, %rs1;", lambda a, b: s16(a)),
    "cvt.u32.u16": ("cvt.u32.u16 %r0, %rs1;", lambda a, b: a & 65535),
    "cvt.s32.s8": ("cvt.s32.s8 %r0, %r1;", lambda a, b: s(a, 8)),
    "cvt.u8.u32": ("cvt.u8.u32 %r0, %r1;", lambda a, b: a & 255),
    "cvt.u16.s8": ("cvt.u16.s8 %r0, %rs1;", lambda a, b: s(a, 8) & 65535),
    "cvt.sat.s8.s32": ("cvt.sat.s8.s32 %r0, %r1;", lambda a, b: min(max(s(a), -128), 127)),
    "cvt.sat.u32.s32": ("cvt.sat.u32.s32 %r0, %r1;", lambda a, b: max(s(a), 0)),
    "twice": ("add.s16 %rs3, %rs1, %rs2; shr.u16 %rs4, %rs3, 1; cvt.u32.u16 %r0, %rs4;",
              lambda a, b: (a + b & 65535) >> 1),
    "masked": ("and.b16 %rs3, %rs1, 255; setp.gt.u16 %p1, %rs3, 100; selp.b32 %r0, 1, 0, %p1;",
               lambda a, b: a & 255 > 100),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_instruction_equals_its_definition(name: str, evaluate: Evaluate) -> None:
    body, law = LAWS[name]
    assert evaluate(body, X, Y, Z) == [
        int(law(a, b, c)) & M for a, b, c in zip(X, Y, Z, strict=True)
    ]


CONSTANT_PREDICATES: Final = {
    "xor.pred %p2, %p1, -1;": lambda p: not p,
    "xor.pred %p2, 1, %p1;": lambda p: not p,
    "xor.pred %p2, %p1, 0;": lambda p: p,
    "and.pred %p2, !%p1, 1;": lambda p: not p,
    "and.pred %p2, %p1, 0;": lambda p: False,
    "or.pred %p2, %p1, -1;": lambda p: True,
    "or.pred %p2, 0, %p1;": lambda p: p,
    "not.pred %p2, -1;": lambda p: False,
    "mov.pred %p2, -1;": lambda p: True,
    "setp.eq.and.s32 %p2, 0, 0, -1;": lambda p: True,
}  # fmt: skip


@pytest.mark.parametrize("text", CONSTANT_PREDICATES)
def test_a_constant_stands_for_a_predicate(text: str, evaluate: Evaluate) -> None:
    body = f"setp.gt.s32 %p1, %r1, 3; {text} selp.b32 %r0, 1, 0, %p2;"
    x = [0, 3, 4, 9]
    law = CONSTANT_PREDICATES[text]
    assert evaluate(body, x, x) == [int(law(a > 3)) for a in x]


@pytest.mark.parametrize("name", NARROW)
def test_sixteen_bits_wrap_and_extend(name: str, evaluate: Evaluate) -> None:
    """Upper bits of the sources are garbage and must not matter."""
    body, law = NARROW[name]
    whole = f"cvt.u16.u32 %rs1, %r1; cvt.u16.u32 %rs2, %r2; {body} cvt.u32.u16 %r0, %rs0;"
    assert evaluate(whole, X, Y) == [int(law(a, b)) & 0xFFFF for a, b in zip(X, Y, strict=True)]


@pytest.mark.parametrize("name", WIDENING)
def test_widening(name: str, evaluate: Evaluate) -> None:
    body, law = WIDENING[name]
    whole = f"cvt.u16.u32 %rs1, %r1; cvt.u16.u32 %rs2, %r2; {body}"
    assert evaluate(whole, X, Y) == [int(law(a, b)) & M for a, b in zip(X, Y, strict=True)]
