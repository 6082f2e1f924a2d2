"""Rules for shifts, bit fields and counting bits (PTX ISA 9.7.1 and 9.7.8)."""

from __future__ import annotations

from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import Reg, Target, Value
from codegen.lower.narrow import extended, known_bits
from codegen.lower.rules import operands, rule
from codegen.ptx import ast
from vgpu.isa import MASK32


@rule("shl", "16 32")
def shift_left(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = a << b; 0 when b is the width or more."""
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
    if len(o.mods) != 2 or o.mods[0] not in "lr" or o.mods[1] not in ("wrap", "clamp"):
        low.unsupported("shf.l or shf.r with .wrap or .clamp is expected")
    lower, upper, amount = low.value(a), low.value(b), low.value(c)
    kept, other = (upper, lower) if "l" in o.mods else (lower, upper)
    low.emit(f"shf.{'.'.join(o.mods)}", low.dest(d), kept, amount, c=low.reg(other))


# ---- bit fields ---------------------------------------------------------------------------------


@rule("bfe", "32")
def extract(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Bits b to b + c - 1 of a, zero- or sign-extended; both counts modulo 256."""
    d, a, b, c = operands(low, i, 4)
    x, position, length = low.value(a), _count(low, b), _count(low, c)
    shift = "sar" if o.signed else "shr"
    if not isinstance(length, int):
        down = low.emit(shift, low.new(), x, position)
        if o.signed:
            _sign_extend(low, low.dest(d), down, length)
        else:
            low.emit("and", low.dest(d), down, low.emit("not", low.new(), b=_above(low, length)))
    elif length == 0:
        low.emit("mov", low.dest(d), b=0)
    elif length >= 32 or (isinstance(position, int) and position + length >= 32):
        # beyond bit 31 there are zeros, or the sign
        low.emit(shift, low.dest(d), x, position)
    elif o.signed and isinstance(position, int):
        up = low.emit("shl", low.new(), x, 32 - position - length)
        low.emit(shift, low.dest(d), up, 32 - length)
    else:
        field = x if position == 0 else low.emit(shift, low.new(), x, position)
        if o.signed:
            _sign_extend(low, low.dest(d), field, length)
        else:
            low.emit("and", low.dest(d), field, (1 << length) - 1)


@rule("bfi", "32")
def insert(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The low d bits of a, put into b at bit c; counts modulo 256."""
    f, a, b, c, n = operands(low, i, 5)
    part, whole = low.value(a), low.value(b)
    position, length = _count(low, c), _count(low, n)
    moved = low.emit("shl", low.new(), part, position)
    if isinstance(position, int) and isinstance(length, int):
        mask = (((1 << length) - 1) << position) & MASK32
        inside = low.emit("and", low.new(), moved, mask)
        outside = low.emit("and", low.new(), whole, ~mask & MASK32)
        low.emit("or", low.dest(f), inside, outside)
        return
    if isinstance(length, int):
        ones: Value = MASK32 >> max(32 - length, 0) if length else 0
    else:
        ones = low.emit("not", low.new(), b=_above(low, length))
    covers = low.emit("shl", low.new(), ones, position)
    # where `covers` is set, the bits of `moved`; else those of `whole`
    differing = low.emit("xor", low.new(), moved, whole)
    changed = low.emit("and", low.new(), differing, covers)
    low.emit("xor", low.dest(f), changed, whole)


def _count(low: Lowering, operand: ast.Operand) -> Value:
    """A place or a length: the low eight bits of its operand."""
    value = low.value(operand)
    if isinstance(value, int):
        return value & 255
    kind, bits = known_bits(low, operand)
    return value if kind == "u" and bits <= 8 else low.emit("and", low.new(), value, 255)


def _above(low: Lowering, length: Value) -> Reg:
    """Ones in every bit from `length` up."""
    return low.emit("shl", low.new(), low.reg(MASK32), length)


def _sign_extend(low: Lowering, d: Reg, value: Value, length: Value) -> None:
    """The low `length` bits of `value`, with the sign of the highest; 0 when there are none."""
    if isinstance(length, int):
        up: Value = 32 - length
    else:
        up = low.emit("sub", low.new(), 32, low.emit("min.u", low.new(), length, 32))
    low.emit("sar", d, low.emit("shl", low.new(), value, up), up)


@rule("fns", "32")
def find_nth(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The place of the n-th one of a, from bit b on: upwards for n > 0, downwards for n < 0; for
    n = 0 b itself, if that bit is set. All ones when there is none.

    Downwards is upwards in the mirror. Each turn clears the lowest one left.
    """
    d, a, b, n = operands(low, i, 4)
    after = low.branch_round()
    mask, base, count = (low.reg(low.value(x)) for x in (a, b, n))
    down, here = low.new(predicate=True), low.new(predicate=True)
    low.emit("setp.lt.s", down, count, 0)
    low.emit("setp.eq", here, count, 0)
    left, turns = low.new(), low.new()
    low.own(left)
    low.own(turns)
    mirrored = low.emit("brev", low.new(), b=mask)
    low.emit("selp", left, mirrored, mask, q=down)
    start = low.emit("selp", low.new(), low.emit("sub", low.new(), 31, base), base, q=down)
    low.emit("and", left, left, low.emit("shl", low.new(), low.reg(MASK32), start))
    only = low.emit("and", low.new(), left, low.emit("shl", low.new(), low.reg(1), start))
    low.emit("selp", left, only, left, q=here)
    size = low.emit("max.s", low.new(), count, low.emit("sub", low.new(), 0, count))
    low.emit("mov", turns, b=low.emit("max.s", low.new(), size, 1))
    again, done = low.fresh_label(), low.fresh_label()
    low.start(again)
    last = low.new(predicate=True)
    low.emit("add", turns, turns, MASK32)
    low.emit("setp.eq", last, turns, 0)
    low.emit("bra", b=Target(done), guard=last)
    low.start(low.fresh_label())
    low.emit("and", left, left, low.emit("add", low.new(), left, MASK32))
    more = low.new(predicate=True)
    low.emit("setp.ne", more, left, 0)
    low.emit("bra", b=Target(again), guard=more)
    low.start(done)
    none = low.new(predicate=True)
    low.emit("setp.eq", none, left, 0)
    up = low.emit("clz", low.new(), b=low.emit("brev", low.new(), b=left))
    found = low.emit("selp", low.new(), low.emit("sub", low.new(), 31, up), up, q=down)
    low.emit("selp", low.dest(d), low.reg(MASK32), found, q=none)
    if after is not None:
        low.start(after)


# ---- counts -------------------------------------------------------------------------------------


@rule("popc clz brev", "32")
def count(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Ones, leading zeros, or the bits in reverse order."""
    d, a = operands(low, i, 2)
    low.emit(o.base, low.dest(d), b=low.value(a))


@rule("bfind", "32", "shiftamt")
def find_highest(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The number of the highest bit that differs from the sign; all ones when there is none."""
    d, a = operands(low, i, 2)
    x = low.value(a)
    if o.signed:
        x = low.emit("xor", low.new(), x, low.emit("sar", low.new(), x, 31))
    zeros = low.emit("clz", low.new(), b=x)
    if "shiftamt" in o.mods:
        # 32 (nothing found) becomes all ones
        found = low.new(predicate=True)
        low.emit("setp.lt.u", found, zeros, 32)
        low.emit("selp", low.dest(d), zeros, MASK32, q=found)
    else:
        low.emit("sub", low.dest(d), 31, zeros)


@rule("bmsk", "32", "clamp wrap")
def bit_mask(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """b ones from bit a up; both counts at most 32, or modulo 32."""
    d, a, b = operands(low, i, 3)
    position, length = low.value(a), low.value(b)
    if "wrap" in o.mods:
        position = low.emit("and", low.new(), position, 31)
        length = low.emit("and", low.new(), length, 31)
    ones = low.emit("not", low.new(), b=_above(low, length))
    low.emit("shl", low.dest(d), ones, position)


@rule("szext", "32", "clamp wrap")
def extend_field(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The low b bits of a, zero- or sign-extended; b at most 32, or modulo 32."""
    d, a, b = operands(low, i, 3)
    value, length = low.value(a), low.value(b)
    if "wrap" in o.mods:
        length = low.emit("and", low.new(), length, 31)
    if o.signed:
        _sign_extend(low, low.dest(d), value, length)
    else:
        kept = low.emit("not", low.new(), b=_above(low, length))
        low.emit("and", low.dest(d), value, kept)
