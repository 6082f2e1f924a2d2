"""Rules for atomic operations (PTX ISA 9.7.13.5 and 6): a word is held, changed, given back.

    ld.lock old, [x]    waits while another lane holds x
    op new, old, …
    st.unlock [x], new

Lanes that want the same word get it one after the other, two passes each when there is one
operation between. Every order is one that the memory model allows, so ordering and scope need
nothing more. The operands are ready before the section begins.

A lane that spins must not keep the others from the word, so what leaves the word as it is does
not hold it: an operation that changes nothing is a load, and `cas` and `exch` look first. They do
not store an equal value either, so that a plain store, which waits for no hold, is never undone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from codegen.lower.context import Lowering, Opcode
from codegen.lower.memory import address
from codegen.lower.mir import Reg, Symbol, Target, Value
from codegen.lower.narrow import extended
from codegen.lower.rules import rule
from codegen.lower.scratch import NOWHERE
from codegen.ptx import ast
from vgpu.isa import MASK32

_SPACES: Final = "global shared shared::cta generic"
_ORDER: Final = "relaxed acquire release acq_rel cta cluster gpu sys"
_NAMES: Final = "add min max and or xor exch cas inc dec"
ATOMIC: Final = f"{_SPACES} {_ORDER} {_NAMES}"
_SIMPLE: Final = {"add": "add", "and": "and", "or": "or", "xor": "xor"}
# the operand that changes nothing
_IDLE: Final = {"add": 0, "or": 0, "xor": 0, "and": MASK32}

Place = tuple[Value | None, int | Symbol]


@rule("atom", "32", ATOMIC)
def atomic(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = the old value; the word becomes what the operation makes of it."""
    if len(i.operands) < 3:
        low.unsupported("a destination, an address and a value are expected")
    d, where, *given = i.operands
    _operate(low, o, where, given, low.dest(d))


@rule("red", "32", ATOMIC)
def reduce(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """As `atom`, without the old value."""
    if len(i.operands) < 2:
        low.unsupported("an address and a value are expected")
    where, *given = i.operands
    _operate(low, o, where, given, None)


@rule("atom", "16", ATOMIC)
def narrow_exchange(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """atom.cas.b16: the hold is on the word round it, and only the half is stored."""
    if o.type != "b16" or "cas" not in o.mods or len(i.operands) != 4:
        low.unsupported("of 16 bits there is only atom.cas.b16")
    d, where, *given = i.operands
    after = low.branch_round() or low.fresh_label()
    expected, new = (extended(low, v, "u16") for v in given)
    base, offset = address(low, where)
    at = low.emit("add", low.new(), base, offset)
    word = low.emit("and", low.new(), at, MASK32 ^ 3)
    # written by the first load, and by the second when it comes to that
    old = low.new()
    low.own(old)
    low.emit("ld.u16", old, at, 0)
    give = low.fresh_label()
    idle, late = low.new(predicate=True), low.new(predicate=True)
    low.emit("setp.ne", idle, old, expected)
    low.emit("bra", b=Target(give), guard=idle)
    low.start(low.fresh_label())
    held = low.emit("ld.lock", low.new(), word, 0)
    low.emit("ld.u16", old, at, 0)
    low.emit("setp.ne", late, old, expected)
    low.emit("st.b16", None, at, 0, c=low.reg(new), guard=late, gneg=True)
    low.emit("st.unlock", None, None, Symbol(NOWHERE), c=held)
    low.start(give)
    low.emit("mov", low.dest(d), b=old)
    low.start(after)


@rule("red", "16", ATOMIC)
@rule("atom red", "128 b128 f16x2", ATOMIC)
def narrow_atomic(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Of 32 and 64 bits only."""
    low.unsupported("atomic operations work on integers of 32 and 64 bits")


def _operate(
    low: Lowering, o: Opcode, where: ast.Operand, given: list[ast.Operand], d: Reg | None
) -> None:
    name = name_of(low, o, given)
    if name in ("min", "max", "inc", "dec") and o.type == "b32":
        low.unsupported(f"atom.{name} needs a type with a sign: .u32 or .s32")
    place = address(low, where)
    values = [low.value(v) for v in given]
    if _IDLE.get(name, -1) == values[0]:
        if d is not None:
            low.emit("ld.b32", d, *place)
    elif name in ("cas", "exch"):
        exchange(low, place, values[0] if name == "cas" else None, low.reg(values[-1]), d)
    else:
        section(low, place, d, lambda old: _changed(low, name, o.signed, old, values[0]))


def name_of(low: Lowering, o: Opcode, given: list[ast.Operand]) -> str:
    """The operation, which must suit the number of its operands."""
    names = [m for m in o.mods if m in _NAMES.split()]
    if len(names) != 1:
        low.unsupported("one operation is expected")
    if len(given) != (2 if names[0] == "cas" else 1):
        low.unsupported("wrong number of operands")
    return names[0]


def section(low: Lowering, place: Place, d: Reg | None, change: Callable[[Reg], Reg]) -> None:
    """Holds the word at `place` while `change` makes the new value of the old one."""
    old = low.emit("ld.lock", low.new(), *place)
    low.emit("st.unlock", None, *place, c=change(old))
    if d is not None:
        low.emit("mov", d, b=old)


def _changed(low: Lowering, name: str, signed: bool, old: Reg, value: Value) -> Reg:
    if name in _SIMPLE:
        return low.emit(_SIMPLE[name], low.new(), old, value)
    if name in ("min", "max"):
        return low.emit(f"{name}.{'s' if signed else 'u'}", low.new(), old, value)
    if name == "dec":
        # 0, less 1, is above every limit, and so is what was above it
        less = low.emit("add", low.new(), old, MASK32)
        return low.emit("min.u", low.new(), less, value)
    more = low.emit("add", low.new(), old, 1)
    if value == MASK32:
        return more
    within = low.new(predicate=True)
    low.emit("setp.lt.u", within, old, value)
    return low.emit("selp", low.new(), more, 0, q=within)


def exchange(low: Lowering, place: Place, expected: Value | None, new: Reg, d: Reg | None) -> None:
    """Stores `new`, if the word is `expected` (or whatever it is, when that is None)."""
    after = low.branch_round() or low.fresh_label()
    # written by the first load, and by the second when it comes to that
    old = low.new()
    low.own(old)
    low.emit("ld.b32", old, *place)
    relation = "setp.eq" if expected is None else "setp.ne"
    against = new if expected is None else expected
    idle = low.new(predicate=True)
    low.emit(relation, idle, old, against)
    give = after if d is None else low.fresh_label()
    low.emit("bra", b=Target(give), guard=idle)
    low.start(low.fresh_label())
    low.emit("ld.lock", old, *place)
    late = low.new(predicate=True)
    low.emit(relation, late, old, against)
    low.emit("st.unlock", None, *place, c=new, guard=late, gneg=True)
    low.emit("st.unlock", None, None, Symbol(NOWHERE), c=old, guard=late)
    if d is not None:
        low.start(give)
        low.emit("mov", d, b=old)
    low.start(after)
