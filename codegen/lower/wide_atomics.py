"""Rules for atomic operations of 64 bits: the hold on the low word guards both.

    ld.lock low, [x]      waits while another lane holds x
    ld.b32 high, [x + 4]
    …
    st.b32 [x + 4], high
    st.unlock [x], low

Strong loads and stores of 64 bits hold the low word too (`wide_memory`), so no lane ever sees one
word of a value without the other.
"""

from __future__ import annotations

from codegen.lower import memory, wide
from codegen.lower.atomics import ATOMIC, Place, name_of
from codegen.lower.context import Lowering, Opcode
from codegen.lower.rules import rule
from codegen.lower.wide import Pair
from codegen.lower.wide_rules import least_or_most
from codegen.ptx import ast


@rule("atom", "64", ATOMIC)
def atomic(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = the old value; memory gets what the operation makes of it."""
    if len(i.operands) < 3:
        low.unsupported("a destination, an address and a value are expected")
    d, where, *given = i.operands
    old = _operate(low, o, where, given)
    if isinstance(d, ast.Name) and d.text != "_":
        wide.put(low, d, old)


@rule("red", "64", ATOMIC)
def reduce(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """As `atom`, without the old value."""
    if len(i.operands) < 2:
        low.unsupported("an address and a value are expected")
    where, *given = i.operands
    _operate(low, o, where, given)


def _operate(low: Lowering, o: Opcode, where: ast.Operand, given: list[ast.Operand]) -> Pair:
    name = name_of(low, o, given)
    if name in ("inc", "dec") or (name in ("min", "max") and o.type == "b64"):
        low.unsupported(f"atom.{name} has no {o.type} form")
    # the operands are ready before the section begins
    values: list[Pair] = [wide.registers(low, wide.pair(low, operand)) for operand in given]
    base, offset = memory.address(low, where)
    return _section(low, (base, offset), name, o.signed, values)


def _section(low: Lowering, place: Place, name: str, signed: bool, values: list[Pair]) -> Pair:
    base, offset = place
    upper = memory.plus(offset, 4)
    old: Pair = (
        low.emit("ld.lock", low.new(), base, offset),
        low.emit("ld.b32", low.new(), base, upper),
    )
    new = _changed(low, name, signed, old, values)
    lower, high = wide.registers(low, new)
    low.emit("st.b32", None, base, upper, c=high)
    low.emit("st.unlock", None, base, offset, c=lower)
    return old


def _changed(low: Lowering, name: str, signed: bool, old: Pair, values: list[Pair]) -> Pair:
    if name == "add":
        return wide.add(low, old, values[0])
    if name in ("and", "or", "xor"):
        return wide.bitwise(low, name, old, values[0])
    if name in ("min", "max"):
        return least_or_most(low, name, old, values[0], signed)
    if name == "cas":
        return wide.choose(low, wide.equal(low, old, values[0]), values[1], old)
    return values[0]
