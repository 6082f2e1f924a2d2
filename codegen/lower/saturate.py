"""Sums that stop at the ends of the signed range (.sat), and 24-bit products (PTX ISA 9.7.1)."""

from __future__ import annotations

from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import Reg, Value
from codegen.lower.rules import operands, rule
from codegen.ptx import ast
from vgpu.isa import MASK32

LEAST = 0x80000000
MOST = 0x7FFFFFFF


def saturated(low: Lowering, d: Reg, a: Value, b: Value, op: str) -> None:
    """d = a + b or a - b, held within -2**31 to 2**31 - 1."""
    if isinstance(b, int) and not (op == "sub" and b == LEAST):
        amount = b if op == "add" else -b & MASK32
        # the end that a may not come nearer to than `amount`
        limit = "max.s" if amount >> 31 else "min.s"
        last = LEAST if amount >> 31 else MOST
        near = low.emit(limit, low.new(), a, last - amount & MASK32)
        low.emit("add", d, near, amount)
        return
    total = low.emit(op, low.new(), a, b)
    # the sum went round when both operands differ in sign from it; for a difference, when a
    # differs in sign from it and from b
    one = low.emit("xor", low.new(), a, total)
    other = low.emit("xor", low.new(), b, total if op == "add" else a)
    both = low.emit("and", low.new(), one, other)
    within = low.new(predicate=True)
    low.emit("setp.ge.s", within, both, 0)
    sign = low.emit("sar", low.new(), total, 31)
    end = low.emit("xor", low.new(), sign, LEAST)
    low.emit("selp", d, total, end, q=within)


@rule("mul24 mad24", "32", "lo hi sat")
def multiply_24(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Bits 0 to 31, or 16 to 47, of a product of two 24-bit numbers; mad24 adds c."""
    operands(low, i, 3 if o.base == "mul24" else 4)
    shift = "sar" if o.signed else "shr"
    a, b = (
        low.emit(shift, low.new(), low.emit("shl", low.new(), low.value(x), 8), 8)
        for x in i.operands[1:3]
    )
    d = low.dest(i.operands[0])
    part = low.emit("mul", low.new(), a, b)
    if "hi" in o.mods:
        high = low.emit(f"mulhi.{'s' if o.signed else 'u'}", low.new(), a, b)
        part = low.emit("shf.r.wrap", low.new(), part, 16, c=high)
    if o.base == "mul24":
        low.emit("mov", d, b=part)
    elif "sat" not in o.mods:
        low.emit("add", d, part, low.value(i.operands[3]))
    elif "hi" in o.mods and o.signed:
        saturated(low, d, part, low.value(i.operands[3]), "add")
    else:
        low.unsupported(".sat is for mad24.hi.s32")
