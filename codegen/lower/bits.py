"""Rules for shifts and bit fields (PTX ISA 9.7.8)."""

from __future__ import annotations

from codegen.lower.calls import call
from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import Reg, Value
from codegen.lower.narrow import extended
from codegen.lower.rules import operands, rule
from codegen.ptx import ast
from vgpu.isa import MASK32


@rule("shl", "16 32")
def shift_left(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    d, a, b = operands(low, i, 3)
    low.emit("shl", low.dest(d), low.value(a), low.value(b))


@rule("shr", "16 32")
def shift_right(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """PTX and the machine clamp amounts alike; 16-bit values are extended first."""
    d, a, b = operands(low, i, 3)
    low.emit("sar" if o.signed else "shr", low.dest(d), extended(low, a, o.type), low.value(b))


@rule("shf", "32", "l r wrap clamp")
def funnel_shift(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A part of the 64-bit value b:a, shifted by c (modulo 32, or at most 32)."""
    d, a, b, c = operands(low, i, 4)
    lo, hi = low.value(a), low.value(b)
    amount: Value = low.value(c)
    if isinstance(amount, int):
        amount = amount & 31 if "wrap" in o.mods else min(amount, 32)
        rest: Value = 32 - amount
    else:
        limit = ("and", 31) if "wrap" in o.mods else ("min.u", 32)
        amount = low.emit(limit[0], low.new(), amount, limit[1])
        rest = low.emit("sub", low.new(), low.reg(32), amount)
    if "l" in o.mods:
        one = low.emit("shl", low.new(), hi, amount)
        other = low.emit("shr", low.new(), lo, rest)
    else:
        one = low.emit("shr", low.new(), lo, amount)
        other = low.emit("shl", low.new(), hi, rest)
    low.emit("or", low.dest(d), one, other)


@rule("bfe", "32")
def extract(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Bits b to b + c - 1 of a, zero- or sign-extended; both counts modulo 256."""
    d, a, b, c = operands(low, i, 4)
    x, position, length = low.value(a), low.value(b), low.value(c)
    if not (isinstance(position, int) and isinstance(length, int)):
        low.require(f"__vgpu_bfe_{o.type[0]}32")
        arguments = [low.reg(v) for v in (x, position, length)]
        call(low, f"__vgpu_bfe_{o.type[0]}32", arguments, [low.dest(d)])
        return
    position, length = position & 255, length & 255
    shift = "sar" if o.signed else "shr"
    if length == 0:
        low.emit("mov", low.dest(d), b=0)
    elif position + length >= 32:
        # beyond bit 31 there are zeros, or the sign
        low.emit(shift, low.dest(d), x, position)
    elif o.signed:
        up = low.emit("shl", low.new(), x, 32 - position - length)
        low.emit(shift, low.dest(d), up, 32 - length)
    else:
        down = low.emit("shr", low.new(), x, position) if position else x
        low.emit("and", low.dest(d), down, (1 << length) - 1)


@rule("bfi", "32")
def insert(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The low d bits of a, put into b at bit c."""
    f, a, b, c, n = operands(low, i, 5)
    part, whole, position, length = (low.value(x) for x in (a, b, c, n))
    if not (isinstance(position, int) and isinstance(length, int)):
        low.require("__vgpu_bfi_b32")
        arguments = [low.reg(v) for v in (part, whole, position, length)]
        call(low, "__vgpu_bfi_b32", arguments, [low.dest(f)])
        return
    position, length = position & 255, length & 255
    mask = (((1 << length) - 1) << position) & MASK32
    moved = low.emit("shl", low.new(), part, min(position, 32))
    inside = low.emit("and", low.new(), moved, mask)
    outside = low.emit("and", low.new(), whole, ~mask & MASK32)
    low.emit("or", low.dest(f), inside, outside)


@rule("prmt", "32", "f4e b4e rc8 ecl ecr rc16")
def permute_bytes(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Four bytes picked from b:a by the nibbles of c; bit 3 of a nibble spreads the sign."""
    d, a, b, c = operands(low, i, 4)
    x, y, selector = low.value(a), low.value(b), low.value(c)
    if o.mods or not isinstance(selector, int):
        low.unsupported("only a constant selector is supported")
    picks = [selector >> (4 * n) & 15 for n in range(4)]
    result: Value = 0
    for place, pick in enumerate(picks):
        source: Value = x if pick & 7 < 4 else y
        result = _join(low, result, _picked_byte(low, source, pick & 3, pick >> 3, place))
    low.emit("mov", low.dest(d), b=result)


def _picked_byte(low: Lowering, source: Value, pick: int, sign: int, place: int) -> Reg:
    """Byte `pick` of `source` (or its sign, eight times) at byte `place`, zeros elsewhere."""
    if sign:
        up = low.emit("shl", low.new(), source, 24 - 8 * pick)
        spread = low.emit("sar", low.new(), up, 31)
        return low.emit("and", low.new(), spread, 0xFF << 8 * place)
    if place >= pick:
        moved = low.emit("shl", low.new(), source, 8 * (place - pick))
    else:
        moved = low.emit("shr", low.new(), source, 8 * (pick - place))
    return low.emit("and", low.new(), moved, 0xFF << 8 * place)


def _join(low: Lowering, one: Value, other: Reg) -> Value:
    return other if one == 0 else low.emit("or", low.new(), one, other)


@rule("lop3", "32")
def three_way_logic(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Any function of three bits, as a sum of products over its truth table."""
    d, a, b, c, table = operands(low, i, 5)
    if not isinstance(table, ast.Number):
        low.unsupported("a constant truth table is expected")
    inputs = [low.value(x) for x in (a, b, c)]
    inverted = [low.emit("not", low.new(), b=x) for x in inputs]
    result: Value = 0
    for row in range(8):
        if table.value >> row & 1:
            picked = [(inputs if row >> (2 - n) & 1 else inverted)[n] for n in range(3)]
            both = low.emit("and", low.new(), picked[0], picked[1])
            result = _join(low, result, low.emit("and", low.new(), both, picked[2]))
    low.emit("mov", low.dest(d), b=result)


@rule("popc clz brev", "32")
def count(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    d, a = operands(low, i, 2)
    name = f"__vgpu_{o.base}_b32"
    low.require(name)
    call(low, name, [low.reg(low.value(a))], [low.dest(d)])


@rule("bfind", "32", "shiftamt")
def find_highest(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The number of the highest bit that differs from the sign; all ones when there is none."""
    d, a = operands(low, i, 2)
    x = low.reg(low.value(a))
    if o.signed:
        x = low.emit("xor", low.new(), x, low.emit("sar", low.new(), x, 31))
    zeros = low.new()
    low.require("__vgpu_clz_b32")
    call(low, "__vgpu_clz_b32", [x], [zeros])
    if "shiftamt" in o.mods:
        # 32 (nothing found) becomes all ones
        found = low.new(predicate=True)
        low.emit("setp.eq", found, zeros, 32)
        low.emit("selp", low.dest(d), low.reg(MASK32), zeros, q=found)
    else:
        low.emit("sub", low.dest(d), low.reg(31), zeros)
