"""Values of 8 and 16 bits: when the bits above them must be made right, and when they are."""

from __future__ import annotations

from typing import Final

from codegen.lower.context import Lowering, Opcode, width_of
from codegen.lower.mir import Reg, Value
from codegen.lower.rules import operands
from codegen.ptx import ast
from vgpu.isa import MASK32


def signed_of(value: int, width: int) -> int:
    """`value`, as the two's complement number of `width` bits that it is."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def extended(low: Lowering, operand: ast.Operand, type_: str) -> Value:
    """The operand as a 32-bit number: its low bits, extended as `type_` says."""
    value = low.value(operand)
    width = width_of(type_)
    if width >= 32:
        return value
    return extend(low, value, width, type_.startswith("s"), known_bits(low, operand))


def extend(
    low: Lowering, value: Value, width: int, signed: bool, known: tuple[str, int] = ("", 32)
) -> Value:
    """Extends the low `width` bits; `known` says what the value is known to be already."""
    if isinstance(value, int):
        return signed_of(value, width) & MASK32 if signed else value & ((1 << width) - 1)
    kind, bits = known
    fits = bits <= width if not (signed and kind == "u") else bits < width
    if fits and kind == ("s" if signed else "u"):
        return value
    if fits and signed and kind == "u":
        return value
    if not signed:
        return low.emit("and", low.new(), value, (1 << width) - 1)
    return low.emit("sar", low.new(), low.emit("shl", low.new(), value, 32 - width), 32 - width)


_DEPTH: Final = 6


def known_bits(low: Lowering, operand: ast.Operand, depth: int = 0) -> tuple[str, int]:
    """("u", n): the register holds an n-bit number, zeros above; ("s", n): sign above it.

    ("", 32) when nothing is known. Looks at the only PTX instruction that writes the register.
    """
    unknown = ("", 32)
    if isinstance(operand, ast.Number):
        return ("u", operand.value.bit_length()) if operand.value >= 0 else unknown
    if not isinstance(operand, ast.Name) or depth > _DEPTH:
        return unknown
    writers = low.defs.get(operand.text, [])
    if len(writers) != 1 or writers[0].guard is not None:
        return unknown
    return _written(low, writers[0], depth)


def _written(low: Lowering, i: ast.Instruction, depth: int) -> tuple[str, int]:
    """What the machine code for `i` leaves above the low bits of its destination."""
    o = Opcode.of(i.opcode)
    unknown = ("", 32)
    if o.base in ("ld", "ldu") and o.width in (8, 16) and "v2" not in o.mods:
        if "param" in o.mods and not low.function.entry:
            return unknown
        return ("s" if o.signed else "u", o.width)
    if o.base == "cvt" and len(o.types) == 2 and all(t[0] in "us" for t in o.types):
        return _converted(low, i, *o.types, saturated="sat" in o.mods, depth=depth)
    if o.base == "and" and o.type != "pred":
        masks = [b for k, b in (known_bits(low, x, depth + 1) for x in i.operands[1:]) if k == "u"]
        return ("u", min(masks)) if masks else unknown
    if o.base == "shr" and o.type in ("u16", "b16"):
        return ("u", 16)
    if o.base == "shr" and o.type == "s16":
        return ("s", 16)
    if o.base == "mov" and o.type != "pred" and len(i.operands) == 2:
        return known_bits(low, i.operands[1], depth + 1)
    if o.base == "selp" and len(i.operands) == 4:
        kinds = [known_bits(low, x, depth + 1) for x in i.operands[1:3]]
        if all(k == "u" for k, _ in kinds):
            return ("u", max(b for _, b in kinds))
    return unknown


def _converted(
    low: Lowering, i: ast.Instruction, to: str, source: str, *, saturated: bool, depth: int
) -> tuple[str, int]:
    """What `codegen.lower.convert.convert` leaves in the destination of a `cvt`."""
    d = i.operands[0]
    declared = width_of(low.types.get(d.text, "b32")) if isinstance(d, ast.Name) else 32
    if saturated:
        return (to[0], width_of(to)) if width_of(to) < 32 else ("", 32)
    if width_of(to) > width_of(source):
        cut = declared > width_of(to) and source[0] == "s" and to[0] == "u"
        return ("u", width_of(to)) if cut else (source[0], width_of(source))
    if declared == width_of(to):
        return known_bits(low, i.operands[1], depth + 1)
    return (to[0], width_of(to))


def words(low: Lowering, i: ast.Instruction, o: Opcode, count: int) -> tuple[Reg, Value, Value]:
    """Destination and two sources, extended to 32 bits as the type says."""
    d, a, b = operands(low, i, count + 1)
    return low.dest(d), extended(low, a, o.type), extended(low, b, o.type)
