"""Numbers as PTX spells them (PTX ISA 4.5.1 and 4.5.2)."""

from __future__ import annotations

import struct

from codegen.ptx import ast


def integer(text: str) -> int:
    """Decimal, octal (leading 0), hexadecimal or binary, perhaps negative; a `U` means nothing.

    Raises ValueError on an octal number with an 8 or a 9.
    """
    text = "".join(text.split()).rstrip("U")
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("-")
    if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        return sign * int(digits, 8)
    return sign * int(digits, 0)


def float_bits(text: str) -> ast.FloatBits:
    """`0f3F800000`, `0d3FF0000000000000` or `1.5` (of 64 bits)."""
    sign = text.startswith("-")
    digits = text.lstrip("-")
    if digits[:2] in ("0f", "0F"):
        return ast.FloatBits(int(digits[2:], 16) ^ (0x80000000 if sign else 0), 32)
    if digits[:2] in ("0d", "0D"):
        return ast.FloatBits(int(digits[2:], 16) ^ ((1 << 63) if sign else 0), 64)
    return ast.FloatBits(int.from_bytes(struct.pack(">d", float(text)), "big"), 64)
