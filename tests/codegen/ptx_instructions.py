"""Instructions of the PTX ISA by its definitions, in Python's integers. Nothing here knows of the
machine or of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

M: Final = 0xFFFFFFFF


def s(value: int, width: int = 32) -> int:
    """The low `width` bits as a signed number."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def h(value: int) -> int:
    return value & 0xFFFF


def clamp(value: int, least: int, most: int) -> int:
    return max(least, min(most, value))


def sat(value: int) -> int:
    return clamp(value, -(1 << 31), (1 << 31) - 1)


def quotient(a: int, b: int) -> int:
    """Rounded towards zero."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a: int, b: int) -> int:
    return a - quotient(a, b) * b


# ---- bits ---------------------------------------------------------------------------------------


def shl(a: int, n: int) -> int:
    return a << n & M if n < 32 else 0


def shr(a: int, n: int) -> int:
    return (a & M) >> n if n < 32 else 0


def sar(a: int, n: int) -> int:
    return s(a) >> min(n, 32)


def bfe(a: int, b: int, c: int, signed: bool) -> int:
    """PTX ISA 9.7.1.18, bit by bit."""
    position, length = b & 255, c & 255
    sign = 0
    if signed and length:
        sign = a >> min(position + length - 1, 31) & 1
    result = 0
    for i in range(32):
        inside = i < length and position + i <= 31
        result |= (a >> (position + i) & 1 if inside else sign) << i
    return result


def bfi(a: int, b: int, c: int, d: int) -> int:
    position, length = c & 255, d & 255
    result = b
    for i in range(length):
        if position + i <= 31:
            result = result & ~(1 << position + i) | (a >> i & 1) << position + i
    return result


def bfind(a: int, signed: bool, shift: bool = False) -> int:
    if signed and a >> 31:
        a ^= M
    for i in range(31, -1, -1):
        if a >> i & 1:
            return 31 - i if shift else i
    return M


def bmsk(a: int, b: int) -> int:
    return ((1 << min(b, 32)) - 1) << min(a, 32)


def szext(a: int, b: int, signed: bool) -> int:
    if b == 0:
        return 0
    field = a & (1 << min(b, 32)) - 1
    return s(field, min(b, 32)) if signed else field


def shf(left: bool, a: int, b: int, amount: int) -> int:
    both = b << 32 | a
    return (both << amount) >> 32 & M if left else both >> amount & M


def prmt(a: int, b: int, selector: int) -> int:
    parts = [*a.to_bytes(4, "little"), *b.to_bytes(4, "little")]
    result = 0
    for i in range(4):
        nibble = selector >> (4 * i) & 15
        byte = parts[nibble & 7]
        if nibble & 8:
            byte = 255 if byte >> 7 else 0
        result |= byte << (8 * i)
    return result


def listed(rows: list[list[int]]) -> Callable[[int, int, int], int]:
    """A mode of prmt from the table in the PTX ISA: the sources of bytes 3, 2, 1, 0."""

    def permuted(a: int, b: int, c: int) -> int:
        parts = [*a.to_bytes(4, "little"), *b.to_bytes(4, "little")]
        return int.from_bytes(bytes(parts[n] for n in rows[c & 3]), "big")

    return permuted


f4e = listed([[3, 2, 1, 0], [4, 3, 2, 1], [5, 4, 3, 2], [6, 5, 4, 3]])
b4e = listed([[5, 6, 7, 0], [6, 7, 0, 1], [7, 0, 1, 2], [0, 1, 2, 3]])
rc8 = listed([[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]])
ecl = listed([[3, 2, 1, 0], [3, 2, 1, 1], [3, 2, 2, 2], [3, 3, 3, 3]])
ecr = listed([[0, 0, 0, 0], [1, 1, 1, 0], [2, 2, 1, 0], [3, 2, 1, 0]])
rc16 = listed([[1, 0, 1, 0], [3, 2, 3, 2], [1, 0, 1, 0], [3, 2, 3, 2]])


def lop3(a: int, b: int, c: int, table: int) -> int:
    result = 0
    for i in range(32):
        row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1
        result |= (table >> row & 1) << i
    return result


def dp4a(a: int, b: int, c: int, left: bool, right: bool) -> int:
    total = c
    for i in range(4):
        x, y = a >> (8 * i) & 255, b >> (8 * i) & 255
        total += (s(x, 8) if left else x) * (s(y, 8) if right else y)
    return total


def dp2a(a: int, b: int, c: int, left: bool, right: bool, high: bool) -> int:
    total = c
    for i in range(2):
        x, y = a >> (16 * i) & 0xFFFF, b >> (8 * (i + 2 * high)) & 255
        total += (s(x, 16) if left else x) * (s(y, 8) if right else y)
    return total


def u24(a: int) -> int:
    return a & 0xFFFFFF


def s24(a: int) -> int:
    return s(a, 24)


# ---- halves, searches, packing ------------------------------------------------------------------


def in_halves(operate: Callable[[int, int], int], a: int, b: int, signed: bool) -> int:
    parts = [(v >> at & 0xFFFF) for at in (0, 16) for v in (a, b)]
    x0, y0, x1, y1 = (s(p, 16) if signed else p for p in parts)
    return (operate(x0, y0) & 0xFFFF) | (operate(x1, y1) & 0xFFFF) << 16


def fns(mask: int, base: int, offset: int) -> int:
    """PTX ISA 9.7.1.19, the pseudo-code."""
    if offset == 0:
        return base if mask >> base & 1 else M
    place, count, step = base, abs(offset) - 1, 1 if offset > 0 else -1
    while 0 <= place < 32:
        if mask >> place & 1:
            if count == 0:
                return place
            count -= 1
        place += step
    return M


def packed(a: int, b: int, width: int, signed: bool, c: int = 0) -> int:
    least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    x, y = (clamp(s(v), least, most) & (1 << width) - 1 for v in (a, b))
    return c << 2 * width | x << width | y
