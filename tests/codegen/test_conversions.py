"""`cvt` between all integer types, with and without saturation, over corner values."""

from __future__ import annotations

from typing import Final

import pytest

import codegen
import vgpu

TYPES: Final = tuple(kind + str(width) for width in (8, 16, 32, 64) for kind in "us")
VALUES: Final = (
    0, 1, 5, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000,
    0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFF80,
    0xFFFFFFFFFFFF8000, 0xFFFFFFFF80000000, 0xFFFFFFFFFFFFFFFF, 0x123456789ABCDEF0,
)  # fmt: skip
_REGISTERS: Final = {8: "%h", 16: "%h", 32: "%r", 64: "%w"}
_HEAD: Final = """.version 7.8
.target sm_75
.address_size 32
.visible .entry convert(.param .u32 values, .param .u32 out)
{
    .reg .b16 %h<4>;
    .reg .b32 %r<8>;
    .reg .b64 %w<4>;
    ld.param.u32 %r4, [values];
    ld.param.u32 %r5, [out];
    mov.u32 %r6, %tid.x;
    mad.lo.u32 %r4, %r6, 8, %r4;
    mad.lo.u32 %r5, %r6, BYTES, %r5;
    ld.global.u64 %w1, [%r4];
    cvt.u16.u64 %h1, %w1;
    cvt.u32.u64 %r1, %w1;
"""


def width(type_: str) -> int:
    return int(type_[1:])


def read(value: int, type_: str) -> int:
    """The low bits of `value` as a number of the type."""
    bits = width(type_)
    value &= (1 << bits) - 1
    return value - (1 << bits) if type_[0] == "s" and value >> (bits - 1) else value


def converted(value: int, to: str, source: str, saturates: bool) -> int:
    """PTX ISA 9.7.9.21; what a register wider than the type holds is extended from it."""
    number = read(value, source)
    if saturates:
        bits = width(to)
        least, most = (
            (-(1 << bits - 1), (1 << bits - 1) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
        )
        number = min(max(number, least), most)
    return read(number, to) & (1 << max(width(to), 16)) - 1


def program(source: str, cases: list[tuple[str, bool]]) -> vgpu.Program:
    lines = [_HEAD.replace("BYTES", str(8 * len(cases)))]
    for at, (to, saturates) in enumerate(cases):
        d = f"{_REGISTERS[width(to)]}2"
        sat = ".sat" if saturates else ""
        lines.append(f"cvt{sat}.{to}.{source} {d}, {_REGISTERS[width(source)]}1;")
        if width(to) < 64:
            lines.append(f"cvt.u64.u{max(width(to), 16)} %w2, {d};")
        lines.append(f"st.global.u64 [%r5+{8 * at}], %w2;")
    return codegen.ptx_to_program("\n".join([*lines, "ret;", "}"]))


@pytest.mark.parametrize("source", TYPES)
def test_every_pair_of_integer_types(source: str) -> None:
    cases = [(to, saturates) for to in TYPES for saturates in (False, True)]
    out = (
        vgpu.Machine("interpreter")
        .run(
            program(source, cases),
            {"values": vgpu.Array("u64", VALUES)},
            {"out": ("u64", len(cases) * len(VALUES))},
            block=len(VALUES),
        )
        .outputs["out"]
    )
    for at, value in enumerate(VALUES):
        row = out[at * len(cases) : (at + 1) * len(cases)]
        want = [converted(value, to, source, saturates) for to, saturates in cases]
        assert dict(zip(cases, row, strict=True)) == dict(zip(cases, want, strict=True)), value
