"""64-bit values: pairs of words, and what the rules for them have in common.

A PTX register of 64 bits is two machine registers (`Lowering.halves`). Each half is computed by
instructions of its own, so a half that nobody reads costs nothing: address arithmetic in 64 bits
comes down to that of the low words.
"""

from __future__ import annotations

from typing import Final

from codegen.lower.context import Lowering, width_of
from codegen.lower.mir import NEVER, Reg, Value
from codegen.lower.narrow import extend, known_bits
from codegen.ptx import ast
from vgpu.isa import MASK32

Pair = tuple[Value, Value]
"""A 64-bit value: low word, high word."""

SIGN: Final = 1 << 31
MASK64: Final = (1 << 64) - 1


# ---- operands -----------------------------------------------------------------------------------


def constant(number: int) -> Pair:
    return number & MASK32, number >> 32 & MASK32


def number_of(pair: Pair) -> int | None:
    """The value of a constant pair."""
    lower, upper = pair
    return upper << 32 | lower if isinstance(lower, int) and isinstance(upper, int) else None


def is_wide(low: Lowering, operand: ast.Operand) -> bool:
    """The operand is a 64-bit register."""
    return isinstance(operand, ast.Name) and operand.offset == 0 and low.is_wide(operand.text)


def pair(low: Lowering, operand: ast.Operand) -> Pair:
    """The 64-bit value of a source operand."""
    if isinstance(operand, ast.Number):
        if not -(1 << 63) <= operand.value <= MASK64:
            low.unsupported(f"{operand.value} does not fit 64 bits")
        return constant(operand.value)
    if isinstance(operand, ast.FloatBits) and operand.width == 64:
        return constant(operand.bits)
    if isinstance(operand, ast.Name) and operand.text in low.types:
        if operand.offset:
            low.unsupported("a register with an offset is not an operand")
        return low.halves(operand.text)
    return low.value(operand), 0


def low_word(low: Lowering, operand: ast.Operand) -> Value:
    """The low word of an operand of any width, where PTX lets a wider register stand."""
    if isinstance(operand, ast.Number):
        return operand.value & MASK32
    return pair(low, operand)[0] if is_wide(low, operand) else low.value(operand)


def narrowed(low: Lowering, operand: ast.Operand, type_: str) -> Value:
    """The operand cut to a type of at most 32 bits, and extended from there to 32."""
    value = low_word(low, operand)
    if width_of(type_) == 32:
        return value
    known = known_bits(low, operand)
    return extend(low, value, width_of(type_), type_.startswith("s"), known)


def target(low: Lowering, operand: ast.Operand) -> tuple[Reg, Reg]:
    """The two registers to write."""
    if isinstance(operand, ast.Name) and operand.text == "_":
        return low.new(), low.new()
    if not is_wide(low, operand):
        low.unsupported("its destination is not a 64-bit register")
    assert isinstance(operand, ast.Name)
    return low.halves(operand.text)


def put(low: Lowering, operand: ast.Operand, value: Pair) -> None:
    """Writes a destination, once every source has been read."""
    for register, word in zip(target(low, operand), value, strict=True):
        low.emit("mov", register, b=word)


def put_extended(low: Lowering, operand: ast.Operand, word: Value, signed: bool) -> None:
    """Writes a 32-bit value to a 64-bit destination."""
    upper: Value = 0
    if signed:
        upper = low.emit("sar", low.new(), word, 31)
    put(low, operand, (word, upper))


def registers(low: Lowering, value: Pair) -> tuple[Reg, Reg]:
    return low.reg(value[0]), low.reg(value[1])


# ---- sums ---------------------------------------------------------------------------------------


def add(low: Lowering, a: Pair, b: Pair, into: tuple[Reg, Reg] | None = None) -> Pair:
    """a + b. `into` is for a destination that can be written half by half."""
    d, e = into or (low.new(), low.new())
    carry = low.new(predicate=True)
    low.emit("add.co", d, a[0], b[0], w=carry)
    low.emit("addc", e, a[1], b[1], q=carry, w=low.new(predicate=True))
    return d, e


def chained(
    low: Lowering, a: Pair, b: Pair, into: tuple[Reg, Reg], op: str, *, takes: bool, gives: bool
) -> None:
    """a op b (add or sub) with the carry CC.CF in when `takes` and out when `gives`."""
    middle = low.new(predicate=True)
    if takes:
        low.emit(f"{op}c", into[0], low.reg(a[0]), b[0], q=low.carry(), w=middle)
    else:
        low.emit(f"{op}.co", into[0], a[0], b[0], w=middle)
    out = low.carry() if gives else low.new(predicate=True)
    low.emit(f"{op}c", into[1], low.reg(a[1]), b[1], q=middle, w=out)


def subtract(low: Lowering, a: Pair, b: Pair, into: tuple[Reg, Reg] | None = None) -> Pair:
    """a - b."""
    d, e = into or (low.new(), low.new())
    borrow = low.new(predicate=True)
    low.emit("sub.co", d, a[0], b[0], w=borrow)
    low.emit("subc", e, a[1], b[1], q=borrow, w=low.new(predicate=True))
    return d, e


def magnitude(low: Lowering, a: Pair) -> Pair:
    """(a ^ s) - s, where s is all ones for a negative a."""
    sign = low.emit("sar", low.new(), a[1], 31)
    return subtract(low, bitwise(low, "xor", a, (sign, sign)), (sign, sign))


def bitwise(low: Lowering, op: str, a: Pair, b: Pair, into: tuple[Reg, Reg] | None = None) -> Pair:
    """and, or, xor."""
    d, e = into or (low.new(), low.new())
    return low.emit(op, d, a[0], b[0]), low.emit(op, e, a[1], b[1])


def invert(low: Lowering, a: Pair) -> Pair:
    return low.emit("not", low.new(), b=a[0]), low.emit("not", low.new(), b=a[1])


# ---- comparisons --------------------------------------------------------------------------------

Truth = tuple[Reg, bool]
"""(predicate, whether it is negated)."""


def always(low: Lowering, holds: bool) -> Truth:
    truth = low.new(predicate=True)
    low.emit("plop", truth, k=NEVER)
    return truth, holds


def equal(low: Lowering, a: Pair, b: Pair) -> Truth:
    """a = b."""
    if number_of(a) is not None:
        a, b = b, a
    truth = low.new(predicate=True)
    if number_of(b) == 0:
        either = low.emit("or", low.new(), a[0], a[1])
        low.emit("setp.eq", truth, either, 0)
        return truth, False
    low.emit("setp.eq", truth, a[1], b[1])
    low.emit("setp.eq", truth, a[0], b[0], guard=truth)
    return truth, False


def less(low: Lowering, a: Pair, b: Pair, signed: bool) -> Truth:
    """a < b: unsigned by the borrow of a - b, signed by the high words unless they are equal."""
    truth = low.new(predicate=True)
    if signed and number_of(b) == 0:
        low.emit("setp.lt.s", truth, a[1], 0)
    elif signed:
        differ = low.new(predicate=True)
        low.emit("setp.ne", differ, a[1], b[1])
        low.emit("setp.lt.u", truth, a[0], b[0])
        low.emit("setp.lt.s", truth, a[1], b[1], guard=differ)
    else:
        borrow = low.new(predicate=True)
        low.emit("sub.co", low.new(), a[0], b[0], w=borrow)
        low.emit("subc", low.new(), low.reg(a[1]), b[1], q=borrow, w=truth)
    return truth, False


def compare(low: Lowering, relation: str, a: Pair, b: Pair, signed: bool) -> Truth:
    """a `relation` b; the relations are eq ne lt le gt ge."""
    if relation in ("eq", "ne"):
        truth, negated = equal(low, a, b)
        return truth, negated ^ (relation == "ne")
    if number_of(a) is not None and number_of(b) is None:
        a, b = b, a
        relation = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[relation]
    number = number_of(b)
    if relation in ("le", "gt") and number is not None:
        # against a constant: a <= c is a < c + 1
        if number == (MASK64 >> 1 if signed else MASK64):
            return always(low, relation == "le")
        b, relation = constant(number + 1), {"le": "lt", "gt": "ge"}[relation]
    if relation in ("le", "gt"):
        a, b, relation = b, a, {"le": "ge", "gt": "lt"}[relation]
    truth, negated = less(low, a, b, signed)
    return truth, negated ^ (relation == "ge")


def choose(low: Lowering, truth: Truth, a: Pair, b: Pair) -> Pair:
    """truth ? a : b."""
    q, negated = truth
    return (
        low.emit("selp", low.new(), a[0], b[0], q=q, qneg=negated),
        low.emit("selp", low.new(), a[1], b[1], q=q, qneg=negated),
    )


# ---- products -----------------------------------------------------------------------------------


def product(low: Lowering, a: Pair, b: Pair) -> Pair:
    """The low 64 bits of a * b."""
    if isinstance(a[0], int) and not isinstance(b[0], int):
        a, b = b, a
    lower = low.emit("mul", low.new(), a[0], b[0])
    upper = low.emit("mulhi.u", low.new(), a[0], b[0])
    upper = low.emit("mad", low.new(), a[0], b[1], c=upper)
    return lower, low.emit("mad", low.new(), b[0], a[1], c=upper)


def widened_product(low: Lowering, a: Value, b: Value, signed: bool) -> Pair:
    """All 64 bits of a product of words."""
    upper = low.emit("mulhi.s" if signed else "mulhi.u", low.new(), a, b)
    return low.emit("mul", low.new(), a, b), upper


def high_product(low: Lowering, a: Pair, b: Pair, signed: bool) -> Pair:
    """The high 64 bits of the 128-bit product a * b."""
    high = _unsigned_high_product(low, a, b)
    if not signed:
        return high
    for one, other in ((a, b), (b, a)):
        # a negative factor was taken for 2**64 more than it is
        sign = low.emit("sar", low.new(), one[1], 31)
        high = subtract(low, high, bitwise(low, "and", other, (sign, sign)))
    return high


def _unsigned_high_product(low: Lowering, a: Pair, b: Pair) -> Pair:
    def part(op: str, x: Value, y: Value) -> Reg:
        return low.emit(op, low.new(), x, y)

    inner = part("mulhi.u", a[0], b[0]), part("mulhi.u", a[0], b[1])
    # neither sum passes 64 bits: (2**32 - 1)**2 + 2 * (2**32 - 1) = 2**64 - 1
    first = add(low, (part("mul", a[0], b[1]), inner[1]), (inner[0], 0))
    second = add(low, (part("mul", a[1], b[0]), part("mulhi.u", a[1], b[0])), (first[0], 0))
    top = add(low, (part("mul", a[1], b[1]), part("mulhi.u", a[1], b[1])), (second[1], 0))
    return add(low, top, (first[1], 0))


# ---- shifts -------------------------------------------------------------------------------------


def shift_left(low: Lowering, a: Pair, amount: Value) -> Pair:
    """a << amount; 0 from 64 on."""
    if isinstance(amount, int):
        return _constant_left(low, a, amount)
    lower = low.emit("shl", low.new(), a[0], amount)
    upper = low.emit("shf.l.clamp", low.new(), a[1], amount, c=low.reg(a[0]))
    return lower, low.emit("shl", low.new(), upper, _beyond(low, amount))


def _constant_left(low: Lowering, a: Pair, amount: int) -> Pair:
    if amount == 0:
        return a
    if amount >= 32:
        return 0, a[0] if amount == 32 else low.emit("shl", low.new(), a[0], min(amount - 32, 32))
    upper = low.emit("shf.l.clamp", low.new(), a[1], amount, c=low.reg(a[0]))
    return low.emit("shl", low.new(), a[0], amount), upper


def shift_right(low: Lowering, a: Pair, amount: Value, signed: bool) -> Pair:
    """a >> amount; 0, or the sign, from 64 on."""
    op = "sar" if signed else "shr"
    if isinstance(amount, int) and amount >= 32:
        beyond = min(amount - 32, 32)
        lower = a[1] if beyond == 0 else low.emit(op, low.new(), a[1], beyond)
        return lower, low.emit("sar", low.new(), a[1], 31) if signed else 0
    if amount == 0:
        return a
    lower = low.emit("shf.r.clamp", low.new(), a[0], amount, c=low.reg(a[1]))
    if not isinstance(amount, int):
        lower = low.emit(op, low.new(), lower, _beyond(low, amount))
    return lower, low.emit(op, low.new(), a[1], amount)


def _beyond(low: Lowering, amount: Value) -> Reg:
    """By how much an amount passes 32."""
    return low.emit("sub", low.new(), low.emit("max.u", low.new(), amount, 32), 32)


# ---- counts -------------------------------------------------------------------------------------


def leading_zeros(low: Lowering, a: Pair) -> Reg:
    zeros = low.new()
    low.emit("clz", zeros, b=a[1])
    below = low.emit("clz", low.new(), b=a[0])
    empty = low.new(predicate=True)
    low.emit("setp.eq", empty, zeros, 32)
    low.emit("add", zeros, below, 32, guard=empty)
    return zeros
