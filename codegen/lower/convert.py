"""Rules for moves and conversions (PTX ISA 9.7.9.2 and 9.7.9.21)."""

from __future__ import annotations

from codegen.lower.context import Lowering, Opcode, width_of
from codegen.lower.mir import ALWAYS, NEVER, Reg, Value
from codegen.lower.narrow import extend, extended, known_bits
from codegen.lower.rules import operands, rule
from codegen.ptx import ast
from vgpu.isa import MASK32


@rule("mov", "16 32 f32")
def move(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A copy, the address of a variable, or parts put together ({a, b}) and taken apart."""
    d, a = operands(low, i, 2)
    if isinstance(a, ast.Vector):
        _pack(low, d, a, o)
    elif isinstance(d, ast.Vector):
        _unpack(low, d, a, o)
    else:
        low.emit("mov", low.dest(d), b=low.value(a))


def _pack(low: Lowering, d: ast.Operand, a: ast.Vector, o: Opcode) -> None:
    """mov.b32 d, {low, high}: the parts side by side, lowest first."""
    width = o.width // len(a.items)
    result: Value = 0
    for place, item in enumerate(a.items):
        last = place == len(a.items) - 1
        value = low.value(item)
        part = value if last else extend(low, value, width, False, known_bits(low, item))
        moved = low.emit("shl", low.new(), part, place * width) if place else part
        result = moved if place == 0 else low.emit("or", low.new(), result, moved)
    low.emit("mov", low.dest(d), b=result)


def _unpack(low: Lowering, d: ast.Vector, a: ast.Operand, o: Opcode) -> None:
    """mov.b32 {low, high}, a."""
    width = o.width // len(d.items)
    source = low.reg(low.value(a))
    whole = low.emit("mov", low.new(), b=source)
    for place, item in enumerate(d.items):
        if item != ast.Name("_"):
            low.emit("shr", low.dest(item), whole, place * width)


@rule("mov", "pred")
def move_predicate(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A copy of a predicate, or a constant."""
    d, a = operands(low, i, 2)
    target, _ = low.predicate(d)
    if isinstance(a, ast.Number):
        low.logic(target, (target, False), k=ALWAYS if a.value else NEVER)
    else:
        low.logic(target, low.predicate(a))


@rule("cvt", "8 16 32", "sat pack")
def convert(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Between integers: truncation, then extension to the register of the destination."""
    if "pack" in o.mods:
        _pack_saturated(low, i, o)
        return
    d, a = operands(low, i, 2)
    if len(o.types) != 2 or any(kind[0] not in "us" for kind in o.types):
        low.unsupported("two integer types are expected, of kind .u or .s")
    to, source = o.types
    if "sat" in o.mods:
        _saturate(low, d, a, to, source)
        return
    declared = (
        width_of(low.types[d.text]) if isinstance(d, ast.Name) and d.text in low.types else 32
    )
    if width_of(to) > width_of(source):
        value = extended(low, a, source)
        if declared > width_of(to) and source[0] == "s" and to[0] == "u":
            value = extend(low, value, width_of(to), False)
    elif declared == width_of(to):
        value = low.value(a)
    else:
        value = extended(low, a, to)
    low.emit("mov", low.dest(d), b=value)


def _pack_saturated(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """cvt.pack: a and b, clamped, side by side, b lowest; what c holds moves up above them."""
    to, source, *rest = o.types
    width = width_of(to)
    if "sat" not in o.mods or source != "s32" or (width, rest) not in ((16, []), (8, ["b32"])):
        low.unsupported("cvt.pack.sat from .s32 to 16 bits, or to 8 bits with a .b32, is expected")
    d, a, b, *c = operands(low, i, 4 if rest else 3)
    mask = (1 << width) - 1
    upper, lower = (_clamped(low, low.value(x), to, source) for x in (a, b))
    result = low.emit("or", low.new(), low.emit("shl", low.new(), upper, width),
                      low.emit("and", low.new(), lower, mask))  # fmt: skip
    if c:
        result = low.emit("and", low.new(), result, (1 << 2 * width) - 1)
        moved = low.emit("shl", low.new(), low.value(c[0]), 2 * width)
        result = low.emit("or", low.new(), result, moved)
    low.emit("mov", low.dest(d), b=result)


def _saturate(low: Lowering, d: ast.Operand, a: ast.Operand, to: str, source: str) -> None:
    low.emit("mov", low.dest(d), b=_clamped(low, extended(low, a, source), to, source))


def _clamped(low: Lowering, value: Value, to: str, source: str) -> Reg:
    """Held to the range of `to`."""
    width = width_of(to)
    least = -(1 << (width - 1)) if to[0] == "s" else 0
    most = (1 << (width - (to[0] == "s"))) - 1
    if source[0] == "u":
        result = low.emit("min.u", low.new(), value, most)
    else:
        result = low.emit("max.s", low.new(), value, least & MASK32)
        if most < 1 << 31:
            result = low.emit("min.s", low.new(), result, most)
    return result
