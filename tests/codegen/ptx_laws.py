"""What each program of `ptx/` must give, by the instructions' definitions (`ptx_instructions`).

A law takes the three operands of a thread and returns its outputs; those of a warp take all
threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tests.codegen.ptx_instructions import (
    M,
    b4e,
    bfe,
    bfi,
    bfind,
    bmsk,
    clamp,
    dp2a,
    dp4a,
    ecl,
    ecr,
    f4e,
    fns,
    h,
    in_halves,
    lop3,
    packed,
    prmt,
    quotient,
    rc8,
    rc16,
    remainder,
    s,
    s24,
    sar,
    sat,
    shf,
    shl,
    shr,
    szext,
    u24,
)

Law = Callable[[int, int, int], Sequence[int]]


# ---- chains of carries --------------------------------------------------------------------------


def sum_96(a: int, b: int, c: int) -> list[int]:
    total = (a | b << 32 | c << 64) + (b | c << 32 | a << 64)
    return [total >> 32 * i & M for i in range(3)]


def difference_96(a: int, b: int, c: int) -> list[int]:
    total = (a | b << 32 | c << 64) - (b | c << 32 | a << 64)
    return [total >> 32 * i & M for i in range(3)]


def products(a: int, b: int, c: int) -> list[int]:
    total = a * b + (c << 32) + c
    signed = s(a) * s(b) >> 32 & M
    return [total & M, total >> 32 & M, total >> 64, a * b + (signed + c >> 32)]


def carried(a: int, b: int, c: int) -> list[int]:
    carry = (a + b) >> 32
    word = a ^ c
    if a < c:
        word, carry = c - 1 & M, c + M >> 32
    return [a + b, word + carry]


def pair_128(a: int, b: int, c: int) -> tuple[int, int]:
    """(b:a and c:b), (c:b and b:a): two numbers of 128 bits."""
    one, other = a | b << 32, b | c << 32
    return one | other << 64, other | one << 64


def split_128(total: int, over: int) -> list[int]:
    words = [total >> 32 * n & M for n in range(4)]
    return [over, words[0] ^ words[1], words[2], words[3]]


def sum_128(a: int, b: int, c: int) -> list[int]:
    x, y = pair_128(a, b, c)
    return split_128(x + y, x + y >> 128)


def difference_128(a: int, b: int, c: int) -> list[int]:
    x, y = pair_128(a, b, c)
    return split_128(x - y, -(x < y))


def product_128(a: int, b: int, c: int) -> list[int]:
    x, y, z = a | b << 32, b | c << 32, c | a << 32
    total = x * y + z + (z << 64)
    return [total >> 32 * n & M for n in range(4)]


# ---- comparisons --------------------------------------------------------------------------------


def relations(a: int, b: int) -> list[bool]:
    return [a == b, a != b, a < b, a <= b, a > b, a >= b]


def bits(*flags: bool) -> list[int]:
    return [sum(bool(f) << i for i, f in enumerate(flags))]


def predicates(a: int, b: int, c: int) -> list[int]:
    p, q = a < b, c == 0
    return bits(p and q, p or q, p != q, not p, True, p and not q)


def combined(a: int, b: int, c: int) -> list[int]:
    less, zero = s(a) < s(b), c == 0
    return bits(
        less and not zero, not less and not zero, a < b or zero, a >= b or zero,
        (a != b) != zero, less,
    )  # fmt: skip


def guarded(a: int, b: int, c: int) -> list[int]:
    low = a < b
    return [
        a + b if low else c.bit_count(),
        bfe(a, b, c, False) if low else 9,
        a // b if b else 1,
        rc8(a, b, c) if b else 2,
    ]


# ---- memory, flow, calls ------------------------------------------------------------------------


def narrow_memory(a: int, b: int, c: int) -> list[int]:
    last = b & 255 | (a & 255) << 8 | (c & 0xFFFF) << 16
    return [s(a >> 8, 8), a >> 24, s(a >> 16, 16), last]


def constants(a: int, b: int, c: int) -> list[int]:
    return [[7, M, 305419896, 0][a & 3], 305419896, 77, s(0xFFFE, 16)]


def loop(a: int, b: int, c: int) -> list[int]:
    total = 0
    for _ in range(a & 7):
        total = total * 31 + b
    return [total]


def called(a: int, b: int, c: int) -> list[int]:
    first = a * 3 + b & M
    return [first, b * 3 + first]


def weighed(*x: int) -> int:
    return ((x[9] * 3 + x[8]) * 3 + x[7]) * 3 + x[0]


def chosen(x: int) -> int:
    return (10, x + 20, x - 30, ~x)[x & 3]


def jumped(a: int, b: int, c: int) -> list[int]:
    ways = (7, b + 1, b - 2, b ^ c)
    first = ways[(0, 1, 2, 3, 1, 0, 3, 2)[a & 7]] if a < b else 100 + c
    return [first, chosen(a), chosen(b)]


def flows(a: int, b: int, c: int) -> list[int]:
    x, limit = (a, b) if a < b else (b, c)
    second = 50 + 7 * (c == 0) + 9 * (c == 0 and a >= b)
    return [11 if x > limit else 22 if x == limit else 33, 0 if a & 15 == 15 else second]


def recursive(n: int) -> int:
    return n if n < 2 else recursive(n - 1) + recursive(n >> 1)


LAWS: Final[dict[str, Law]] = {
    "add_32": lambda a, b, c: [a + b, a - 7, 0x7FFFFFFF + b],
    "add_sat": lambda a, b, c: [
        sat(s(a) + s(b)), sat(s(a) - s(b)), sat(s(a) + 2147483647), sat(s(a) - 1)
    ],
    "sub_32": lambda a, b, c: [a - b, 100 - b, a + 1],
    "neg_abs": lambda a, b, c: [-a, abs(s(a))],
    "mul_lo": lambda a, b, c: [a * b, a * -3],
    "mul_hi": lambda a, b, c: [a * b >> 32, s(a) * s(b) >> 32, s(a) * 0x55555556 >> 32],
    "mul24": lambda a, b, c: [
        u24(a) * u24(b), u24(a) * u24(b) >> 16, s24(a) * s24(b), s24(a) * s24(b) >> 16
    ],
    "mad24": lambda a, b, c: [
        u24(a) * u24(b) + c, (u24(a) * u24(b) >> 16) + c, s24(a) * s24(b) + c,
        sat(s(s24(a) * s24(b) >> 16) + s(c)),
    ],
    "mad_lo": lambda a, b, c: [a * b + c, a * 10 + c, a * b - 5],
    "mad_hi": lambda a, b, c: [
        (a * b >> 32) + c, (s(a) * s(b) >> 32) + c, sat((s(a) * s(b) >> 32) + s(c))
    ],
    "mul_wide_16": lambda a, b, c: [
        h(a) * h(b), s(a, 16) * s(b, 16), h(a) * h(b) + c, s(a, 16) * s(b, 16) + c
    ],
    "sad": lambda a, b, c: [c + abs(a - b), c + abs(s(a) - s(b))],
    "div_u32": lambda a, b, c: [
        a // (b | 1), a % (b | 1), a // (((b | 1) << 4 & M) | 16)
    ],
    "div_s32": lambda a, b, c: [quotient(s(a), s(b | 1)), remainder(s(a), s(b | 1))],
    "div_const": lambda a, b, c: [a // 10, a % 7, quotient(s(a), -7), remainder(s(a), 16)],
    "min_max": lambda a, b, c: [min(a, b), max(a, b), min(s(a), s(b)), max(s(a), s(b))],
    "popc_clz": lambda a, b, c: [
        a.bit_count(), 32 - a.bit_length(), int(f"{a:032b}"[::-1], 2)
    ],
    "bfind": lambda a, b, c: [
        bfind(a, False), bfind(a, True), bfind(a, False, True), bfind(a, True, True)
    ],
    "bfe_u32": lambda a, b, c: [
        bfe(a, b, c, False), bfe(a, 5, 9, False), bfe(a, b, 7, False), bfe(a, 28, c, False)
    ],
    "bfe_s32": lambda a, b, c: [
        bfe(a, b, c, True), bfe(a, 5, 9, True), bfe(a, b, 7, True), bfe(a, 28, c, True)
    ],
    "bfe_edges": lambda a, b, c: [
        bfe(a, 31, 1, True), bfe(a, 40, 3, True), 0, a
    ],
    "bfi": lambda a, b, c: [
        bfi(a, c, b, 7), bfi(a, b, 4, 8), bfi(a, b, 28, c), bfi(a, b, c, c)
    ],
    "bmsk_szext": lambda a, b, c: [
        bmsk(a, b), bmsk(a & 31, b & 31), szext(a, b, True), szext(a, b & 31, False)
    ],
    "logic": lambda a, b, c: [a & b, a | b, a ^ b, ~a],
    "cnot": lambda a, b, c: [a == 0],
    "lop3": lambda a, b, c: [lop3(a, b, c, t) for t in (0x96, 0xE8, 0x1B, 0x69)],
    "lop3_pred": lambda a, b, c: [a & b & c, a & b & c != 0 or a < b],
    "shl": lambda a, b, c: [shl(a, b), shl(a, 31), 0, shl(M, b)],
    "shr": lambda a, b, c: [shr(a, b), sar(a, b), a >> 31, sar(a, 33)],
    "shf_variable": lambda a, b, c: [
        shf(True, a, c, b & 31), shf(False, a, c, b & 31),
        shf(True, a, c, min(b, 32)), shf(False, a, c, min(b, 32)),
    ],
    "shf_constant": lambda a, b, c: [shf(True, a, b, 1), a, a, b],
    "prmt": lambda a, b, c: [
        prmt(a, b, 0x4021), prmt(a, 0, 0x8880), prmt(a, b, c), prmt(a, b, 0xFB73)
    ],
    "prmt_ends": lambda a, b, c: [f4e(a, b, c), b4e(a, b, c), f4e(a, b, 2), b4e(a, b, 1)],
    "prmt_modes": lambda a, b, c: [rc8(a, b, c), ecl(a, b, c), ecr(a, b, c), rc16(a, b, c)],
    "dp4a": lambda a, b, c: [
        dp4a(a, b, c, *signs) for signs in ((False, False), (True, True), (False, True),
                                            (True, False))
    ],
    "dp2a": lambda a, b, c: [
        dp2a(a, b, c, False, False, False), dp2a(a, b, c, True, True, True),
        dp2a(a, b, c, True, False, False),
    ],
    "add_cc": sum_96,
    "sub_cc": difference_96,
    "mad_cc": products,
    "carry_across": carried,
    "add_cc_64": sum_128,
    "sub_cc_64": difference_128,
    "mad_cc_64": product_128,
    "packed_16": lambda a, b, c: [
        in_halves(lambda x, y: x + y, a, b, False), in_halves(min, a, b, True),
        in_halves(max, a, b, False), in_halves(lambda x, y: x - 1, a, b, True),
    ],
    "relu": lambda a, b, c: [
        max(min(s(a), s(b)), 0), max(s(a), s(b), 0),
        in_halves(lambda x, y: max(min(x, y), 0), a, b, True),
        in_halves(lambda x, y: max(x, y, 0), a, b, True),
    ],
    "fns": lambda a, b, c: [
        fns(a, b & 31, s(c) >> 28), fns(a, b & 31, 0), fns(a, 0, 2), fns(a, 31, -3)
    ],
    "cvt_pack": lambda a, b, c: [
        packed(a, b, 16, True), packed(a, b, 16, False), packed(a, b, 8, True, c),
        packed(a, b, 8, False, c),
    ],
    "cnot_64": lambda a, b, c: [
        a == b == 0, *((a, b) if s(c) >= 0 else (b, c)), h(a) if s(c) >= 0 else a >> 16
    ],
    "float_moves": lambda a, b, c: [
        0x3FC00000 if a < b else 0x3F800000, 0x3F800000 if s(c) >= 0 else 0xBE800000,
        *((0x54442D18, 0x400921FB) if a < b else (0, 0x40040000)),
    ],
    "isspacep": lambda a, b, c: [5, 9, 1],
    "copies": lambda a, b, c: [a, 11, 22, b],
    "brx_table": jumped,
    "expressions": lambda a, b, c: [
        a + -(7 - 2) + 0x10 // 3 % 4, (31 ^ ~0 ^ 0x30) + 63 + 3, 9, 0
    ],
    "guarded_flow": flows,
    "shadowed": lambda a, b, c: [a + b],
    "setp_s32": lambda a, b, c: bits(*relations(s(a), s(b))),
    "setp_u32": lambda a, b, c: bits(*relations(a, b), *relations(a, b)[2:]),
    "setp_b32": lambda a, b, c: bits(a == b, a != b, s(a) < -128, a > 0x80000000),
    "setp_s16": lambda a, b, c: bits(
        s(a, 16) < s(b, 16), h(a) < h(b), s(a, 16) >= s(b, 16), h(a) >= h(b),
        h(a) == h(b), h(a) != h(b), h(a) <= h(b), s(a, 16) > s(b, 16),
    ),
    "setp_bool": combined,
    "predicates": predicates,
    "set_32": lambda a, b, c: [
        M * (s(a) < s(b)), M * (a >= b), M * (a != b and c != 0)
    ],
    "selp": lambda a, b, c: [
        a if s(a) < s(b) else b, 3 if s(a) < s(b) else 4, c if s(a) < s(b) else M
    ],
    "slct": lambda a, b, c: [a if s(c) >= 0 else b, 5 if s(a) >= 0 else b],
    "guards": guarded,
    "add_16": lambda a, b, c: [h(a + b), h(a - b), h(-a), h(abs(s(a, 16)))],
    "mul_16": lambda a, b, c: [
        h(a * b), h(a) * h(b) >> 16, h(s(a, 16) * s(b, 16) >> 16), h(a * b + c)
    ],
    "div_16": lambda a, b, c: [
        h(a) // h(b | 1), h(a) % h(b | 1), h(quotient(s(a, 16), s(b | 1, 16))),
        h(remainder(s(a, 16), s(b | 1, 16))),
    ],
    "min_16": lambda a, b, c: [
        h(min(s(a, 16), s(b, 16))), h(max(s(a, 16), s(b, 16))), min(h(a), h(b)), max(h(a), h(b))
    ],
    "logic_16": lambda a, b, c: [h(a & b), h(a | b), h(a ^ b), h(~a)],
    "shift_16": lambda a, b, c: [
        h(a << min(b, 16)), h(a) >> min(b, 16), h(s(a, 16) >> min(b, 16)),
        h(a) if s(a, 16) < s(b, 16) else h(c),
    ],
    "cvt_narrow": lambda a, b, c: [s(a, 8), a & 255, s(a, 16), h(s(a, 8))],
    "cvt_sat": lambda a, b, c: [
        clamp(s(a), -128, 127), clamp(s(a), 0, 255), min(a, 65535), max(s(a), 0)
    ],
    "mov_vector": lambda a, b, c: [a >> 16 | h(a) << 16, (b >> 16) * 0x10001],
    "narrow_memory": narrow_memory,
    "cache_operators": lambda a, b, c: [a, b, c, a ^ b ^ c],
    "constants": constants,
    "loop": loop,
    "brx_idx": lambda a, b, c: [(7, b + 1, b - 2, b + 1)[a & 3]],
    "early_exit": lambda a, b, c: [77 if s(a) > s(b) else a + c],
    "scopes": lambda a, b, c: [6 + b + 4 + a],
    "call": called,
    "recursion": lambda a, b, c: [recursive(a & 7)],
    "atom_read": lambda a, b, c: [b, c, a],
}  # fmt: skip
