"""Rules for arithmetic, logic, comparison and selection in 64 bits (PTX ISA 9.7.1, 5 and 8)."""

from __future__ import annotations

from codegen.lower import wide
from codegen.lower.context import Lowering, Opcode
from codegen.lower.control import RELATIONS, UNSIGNED, combined, mask_by
from codegen.lower.mir import Reg, Value
from codegen.lower.rules import operands, rule
from codegen.lower.wide import Pair
from codegen.lower.wide_division import divide
from codegen.ptx import ast
from vgpu.isa import MASK32

# ---- arithmetic ---------------------------------------------------------------------------------


@rule("and or xor", "64")
def two_operands(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Logic, bit by bit."""
    d, a, b = operands(low, i, 3)
    wide.bitwise(low, o.base, wide.pair(low, a), wide.pair(low, b), wide.target(low, d))


@rule("add sub addc subc", "64", "cc")
def sum_(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A sum or difference; `c`: with the carry CC.CF in, `.cc`: and out."""
    d, a, b = operands(low, i, 3)
    x, y, into = wide.pair(low, a), wide.pair(low, b), wide.target(low, d)
    takes, gives = o.base.endswith("c"), "cc" in o.mods
    wide.chained(low, x, y, into, o.base[:3], takes=takes, gives=gives)


@rule("not", "64")
def invert(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = ~a."""
    d, a = operands(low, i, 2)
    for register, word in zip(wide.target(low, d), wide.pair(low, a), strict=True):
        low.emit("not", register, b=word)


@rule("neg", "64")
def negate(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = -a."""
    d, a = operands(low, i, 2)
    wide.subtract(low, (0, 0), wide.registers(low, wide.pair(low, a)), wide.target(low, d))


@rule("abs", "64")
def absolute(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = |a|."""
    d, a = operands(low, i, 2)
    wide.put(low, d, wide.magnitude(low, wide.pair(low, a)))


@rule("min max", "64")
def extremum(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The smaller or larger one."""
    d, a, b = operands(low, i, 3)
    wide.put(low, d, least_or_most(low, o.base, wide.pair(low, a), wide.pair(low, b), o.signed))


def least_or_most(low: Lowering, op: str, a: Pair, b: Pair, signed: bool) -> Pair:
    return wide.choose(low, wide.compare(low, "lt" if op == "min" else "gt", a, b, signed), a, b)


@rule("mul", "64", "lo hi wide")
def multiply(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The low or high half of the product, or all of that of two 32-bit values."""
    d, *_ = operands(low, i, 3)
    wide.put(low, d, _product(low, i, o))


@rule("mad madc", "64", "lo hi wide cc")
def multiply_add(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A part of the product, plus c; madc: plus the carry; .cc: gives the carry."""
    d, _, _, c = operands(low, i, 4)
    addend, product, into = wide.pair(low, c), _product(low, i, o), wide.target(low, d)
    takes, gives = o.base == "madc", "cc" in o.mods
    if "wide" in o.mods and (takes or gives):
        low.unsupported(".wide takes and gives no carry")
    wide.chained(low, product, addend, into, "add", takes=takes, gives=gives)


def _product(low: Lowering, i: ast.Instruction, o: Opcode) -> Pair:
    a, b = i.operands[1:3]
    part = [m for m in o.mods if m != "cc"]
    if part == ["wide"]:
        if o.width != 32:
            low.unsupported("a product of two 64-bit values has no .wide form: use .lo and .hi")
        return wide.widened_product(low, low.value(a), low.value(b), o.signed)
    if part == ["lo"]:
        return wide.product(low, wide.pair(low, a), wide.pair(low, b))
    if part != ["hi"]:
        low.unsupported("one of .lo .hi .wide is expected")
    return wide.high_product(low, wide.pair(low, a), wide.pair(low, b), o.signed)


@rule("sad", "64")
def sum_of_differences(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = c + |a - b|."""
    d, *sources = operands(low, i, 4)
    a, b, c = (wide.pair(low, x) for x in sources)
    truth = wide.compare(low, "lt", a, b, o.signed)
    larger, smaller = wide.choose(low, truth, b, a), wide.choose(low, truth, a, b)
    wide.add(low, c, wide.subtract(low, larger, smaller), wide.target(low, d))


@rule("div rem", "64")
def quotient(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Rounded towards zero; a divisor of 0 is a fault."""
    d, a, b = operands(low, i, 3)
    remainder = o.base == "rem"
    divide(low, d, wide.pair(low, a), wide.pair(low, b), signed=o.signed, remainder=remainder)


# ---- shifts, counts and fields ------------------------------------------------------------------


@rule("shl", "64")
def shift_left(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = a << b; 0 when b >= 64."""
    d, a, b = operands(low, i, 3)
    wide.put(low, d, wide.shift_left(low, wide.pair(low, a), wide.low_word(low, b)))


@rule("shr", "64")
def shift_right(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = a >> b."""
    d, a, b = operands(low, i, 3)
    wide.put(low, d, wide.shift_right(low, wide.pair(low, a), wide.low_word(low, b), o.signed))


@rule("cnot", "64")
def logical_not(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = 1 when a is 0, else 0."""
    d, a = operands(low, i, 2)
    q, negated = wide.equal(low, wide.pair(low, a), (0, 0))
    wide.put(low, d, (low.emit("selp", low.new(), low.reg(1), 0, q=q, qneg=negated), 0))


@rule("popc clz", "64")
def count(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Ones, or leading zeros."""
    d, a = operands(low, i, 2)
    value = wide.pair(low, a)
    if o.base == "clz":
        low.emit("mov", low.dest(d), b=wide.leading_zeros(low, value))
        return
    lower, upper = (low.emit("popc", low.new(), b=word) for word in value)
    low.emit("add", low.dest(d), lower, upper)


@rule("brev", "64")
def reverse(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The bits in reverse order."""
    d, a = operands(low, i, 2)
    lower, upper = (low.emit("brev", low.new(), b=word) for word in wide.pair(low, a))
    wide.put(low, d, (upper, lower))


@rule("bfind", "64", "shiftamt")
def find_highest(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The number of the highest bit that differs from the sign; all ones when there is none."""
    d, a = operands(low, i, 2)
    value = wide.pair(low, a)
    if o.signed:
        sign = low.emit("sar", low.new(), value[1], 31)
        value = wide.bitwise(low, "xor", value, (sign, sign))
    zeros = wide.leading_zeros(low, value)
    if "shiftamt" in o.mods:
        found = low.new(predicate=True)
        low.emit("setp.lt.u", found, zeros, 64)
        low.emit("selp", low.dest(d), zeros, MASK32, q=found)
    else:
        low.emit("sub", low.dest(d), 63, zeros)


def _count(low: Lowering, operand: ast.Operand) -> Value:
    """The place or length of a bit field, modulo 256."""
    value = low.value(operand)
    return value & 255 if isinstance(value, int) else low.emit("and", low.new(), value, 255)


@rule("bfe", "64")
def extract(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Bits b to b + c - 1 of a, zero- or sign-extended."""
    d, a, b, c = operands(low, i, 4)
    value, place, length = wide.pair(low, a), _count(low, b), _count(low, c)
    if isinstance(length, int):
        above: Value = max(64 - length, 0)
    else:
        above = low.emit("sub", low.new(), 64, low.emit("min.u", low.new(), length, 64))
    down = wide.shift_right(low, value, place, o.signed)
    up = wide.shift_left(low, down, above)
    wide.put(low, d, wide.shift_right(low, up, above, o.signed))


@rule("bfi", "64")
def insert(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The low d bits of a, put into b at bit c."""
    f, a, b, c, n = operands(low, i, 5)
    part, whole = wide.pair(low, a), wide.pair(low, b)
    place, length = _count(low, c), _count(low, n)
    if isinstance(place, int) and isinstance(length, int):
        covers = wide.constant(((1 << length) - 1) << place)
    else:
        above = wide.shift_left(low, wide.constant(wide.MASK64), length)
        covers = wide.shift_left(low, wide.invert(low, above), place)
    inside = wide.bitwise(low, "and", wide.shift_left(low, part, place), covers)
    outside = wide.bitwise(low, "and", whole, wide.invert(low, covers))
    wide.put(low, f, wide.bitwise(low, "or", inside, outside))


# ---- comparison and selection -------------------------------------------------------------------


@rule("setp", "64", f"{RELATIONS} and or xor")
def set_predicate(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """p = (a ? b), q = its complement; either combined with a third predicate."""
    combined(low, i, o, _compare)


@rule("set", "64", f"{RELATIONS} and or xor")
def set_register(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = all ones when the relation holds, else 0."""
    mask_by(low, i, o, _compare)


def _compare(low: Lowering, d: Reg, a: ast.Operand, b: ast.Operand, o: Opcode) -> None:
    relation = next((m for m in o.mods if m in RELATIONS.split()), None)
    if relation is None:
        low.unsupported("a relation is expected")
    signed = o.signed and relation not in UNSIGNED
    name = UNSIGNED.get(relation, relation)
    low.logic(d, wide.compare(low, name, wide.pair(low, a), wide.pair(low, b), signed))


@rule("selp", "64 f64")
def select(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = p ? a : b."""
    d, a, b, p = operands(low, i, 4)
    wide.put(low, d, wide.choose(low, low.truth(p), wide.pair(low, a), wide.pair(low, b)))


@rule("slct", "64 f64")
def select_by_sign(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = c >= 0 ? a : b."""
    d, a, b, c = operands(low, i, 4)
    if o.types[-1] != "s32":
        low.unsupported("the machine has no floating point yet: slct takes a .s32")
    truth = low.new(predicate=True)
    low.emit("setp.ge.s", truth, low.value(c), 0)
    wide.put(low, d, wide.choose(low, (truth, False), wide.pair(low, a), wide.pair(low, b)))
