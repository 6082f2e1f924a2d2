"""Rules for extended-precision arithmetic (PTX ISA 9.7.2): chains through the carry CC.CF.

CC.CF is a predicate. After a subtraction it is the borrow, which the next one takes away, as the
PTX ISA defines it and the machine has it.
"""

from __future__ import annotations

from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import Reg, Value
from codegen.lower.rules import operands, rule
from codegen.ptx import ast


def chained(
    low: Lowering, d: Reg, a: Value, b: Value, op: str, *, takes: bool, gives: bool
) -> None:
    """d = a op b, with the carry in when `takes` and out when `gives`; op is add or sub."""
    out = low.carry() if gives else low.new(predicate=True)
    if takes:
        low.emit(f"{op}c", d, low.reg(a), b, q=low.carry(), w=out)
    elif gives:
        low.emit(f"{op}.co", d, a, b, w=out)
    else:
        low.emit(op, d, a, b)


@rule("addc subc", "32", "cc")
def add_with_carry(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """With the carry CC.CF in; .cc: and out."""
    d, a, b = operands(low, i, 3)
    gives = "cc" in o.mods
    chained(low, low.dest(d), low.value(a), low.value(b), o.base[:3], takes=True, gives=gives)


@rule("madc", "32", "lo hi cc")
def multiply_add_with_carry(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A part of the product plus c plus the carry; .cc: gives the next one."""
    add_product(low, i, o, takes=True)


def add_product(low: Lowering, i: ast.Instruction, o: Opcode, *, takes: bool) -> None:
    """d = the low or high word of a * b, plus c, in a chain of carries."""
    d, a, b, c = operands(low, i, 4)
    op = "mul" if "lo" in o.mods else f"mulhi.{'s' if o.signed else 'u'}"
    part = low.emit(op, low.new(), low.value(a), low.value(b))
    chained(low, low.dest(d), part, low.value(c), "add", takes=takes, gives="cc" in o.mods)
