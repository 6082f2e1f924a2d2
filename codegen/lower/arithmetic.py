"""Rules for integer arithmetic of at most 32 bits (PTX ISA 9.7.1)."""

from __future__ import annotations

from codegen.lower.carry import add_product, chained
from codegen.lower.context import Lowering, Opcode
from codegen.lower.division import divide
from codegen.lower.mir import Reg, Value
from codegen.lower.narrow import extended, words
from codegen.lower.rules import operands, rule
from codegen.lower.saturate import saturated
from codegen.ptx import ast


@rule("add sub", "16 32", "cc sat")
def add(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = a + b or a - b; .sat: held to the range of .s32; .cc: gives the carry CC.CF."""
    d, a, b = operands(low, i, 3)
    if "sat" in o.mods:
        if o.type != "s32":
            low.unsupported(".sat is for .s32")
        saturated(low, low.dest(d), low.value(a), low.value(b), o.base)
    else:
        gives = "cc" in o.mods
        chained(low, low.dest(d), low.value(a), low.value(b), o.base, takes=False, gives=gives)


@rule("and or xor", "16 32")
def low_bits(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Operations whose low bits depend on low bits only, so width does not matter."""
    d, a, b = operands(low, i, 3)
    low.emit(o.base, low.dest(d), low.value(a), low.value(b))


@rule("not", "16 32")
def invert(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = ~a."""
    d, a = operands(low, i, 2)
    low.emit("not", low.dest(d), b=low.value(a))


@rule("neg", "16 32")
def negate(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = -a."""
    d, a = operands(low, i, 2)
    low.emit("sub", low.dest(d), 0, low.reg(low.value(a)))


@rule("abs", "16 32")
def absolute(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = |a|."""
    d, a = operands(low, i, 2)
    value = low.reg(extended(low, a, o.type))
    opposite = low.emit("sub", low.new(), 0, value)
    low.emit("max.s", low.dest(d), value, opposite)


@rule("min max", "16 32", "relu")
def extremum(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The smaller or larger one; with .relu, 0 for a negative result."""
    d, a, b = words(low, i, o, 2)
    op = f"{o.base}.{'s' if o.signed else 'u'}"
    if "relu" not in o.mods:
        low.emit(op, d, a, b)
        return
    if o.type != "s32":
        low.unsupported(".relu is for .s32 and .s16x2")
    low.emit("max.s", d, low.emit(op, low.new(), a, b), 0)


@rule("add min max", "16x2", "relu")
def in_halves(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The operation on both halves of a word, each for itself."""
    d, *sources = operands(low, i, 3)
    given = [low.value(x) for x in sources]
    if "relu" in o.mods and (o.base == "add" or not o.signed):
        low.unsupported(".relu is for min and max of .s32 and .s16x2")
    upper = [low.emit("and", low.new(), x, 0xFFFF0000) for x in given]
    lower = [low.emit("shl", low.new(), x, 16) for x in given]
    op = "add" if o.base == "add" else f"{o.base}.{'s' if o.signed else 'u'}"
    halves = [low.emit(op, low.new(), *part) for part in (upper, lower)]
    if "relu" in o.mods:
        halves = [low.emit("max.s", low.new(), x, 0) for x in halves]
    low.emit("or", low.dest(d), halves[0], low.emit("shr", low.new(), halves[1], 16))


@rule("mul", "16 32", "lo hi wide")
def multiply(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A part of the product: low, high, or all of it for 16 bits."""
    operands(low, i, 3)
    product(low, i, o, low.dest(i.operands[0]), None)


@rule("mad", "16 32", "lo hi wide cc sat")
def multiply_add(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A part of the product, plus c; .cc: gives the carry."""
    d, a, b, c = operands(low, i, 4)
    if not o.mods:
        low.unsupported("expected .lo, .hi or .wide")
    if o.mods[-1] == "cc":
        add_product(low, i, o, takes=False)
        return
    if o.mods[-1] == "sat":
        if o.type != "s32" or o.mods[0] != "hi":
            low.unsupported(".sat is for mad.hi.s32")
        high = low.emit("mulhi.s", low.new(), low.value(a), low.value(b))
        saturated(low, low.dest(d), high, low.value(c), "add")
        return
    product(low, i, o, low.dest(i.operands[0]), low.value(i.operands[3]))


def product(low: Lowering, i: ast.Instruction, o: Opcode, d: Reg, addend: Value | None) -> None:
    """d = a part of a * b, plus `addend` when there is one."""
    part = "".join(o.mods)
    if part == "lo":
        a, b = low.value(i.operands[1]), low.value(i.operands[2])
        _low_product(low, d, a, b, addend)
    elif part == "wide" and o.width == 16:
        a, b = (extended(low, x, o.type) for x in i.operands[1:3])
        _low_product(low, d, a, b, addend)
    elif part == "hi" and o.width == 16:
        a, b = (extended(low, x, o.type) for x in i.operands[1:3])
        whole = low.emit("mul", low.new(), a, b)
        _plus(low, d, low.emit("shr", low.new(), whole, 16), addend)
    elif part == "hi":
        a, b = low.value(i.operands[1]), low.value(i.operands[2])
        target = d if addend is None else low.new()
        low.emit("mulhi.s" if o.signed else "mulhi.u", target, a, b)
        if addend is not None:
            low.emit("add", d, target, addend)
    else:
        low.unsupported("64-bit integers are not supported yet" if part == "wide" else "")


def _low_product(low: Lowering, d: Reg, a: Value, b: Value, addend: Value | None) -> None:
    if addend is None or addend == 0:
        low.emit("mul", d, a, b)
    else:
        low.emit("mad", d, a, b, c=low.reg(addend))


def _plus(low: Lowering, d: Reg, value: Value, addend: Value | None) -> None:
    if addend is None:
        low.emit("mov", d, b=value)
    else:
        low.emit("add", d, value, addend)


@rule("sad", "16 32")
def sum_of_differences(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = c + |a - b|: the larger less the smaller."""
    d, a, b, c = operands(low, i, 4)
    x, y = low.reg(extended(low, a, o.type)), low.reg(extended(low, b, o.type))
    sign = "s" if o.signed else "u"
    larger = low.emit(f"max.{sign}", low.new(), x, y)
    smaller = low.emit(f"min.{sign}", low.new(), x, y)
    difference = low.emit("sub", low.new(), larger, smaller)
    low.emit("add", low.dest(d), low.value(c), difference)


@rule("div rem", "16 32")
def quotient(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Rounded towards zero; by a constant a multiplication; a divisor of 0 is a fault."""
    d, a, b = words(low, i, o, 2)
    divide(low, d, a, b, signed=o.signed, remainder=o.base == "rem")
