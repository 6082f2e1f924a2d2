"""Rules for loads, stores, addresses and parameters (PTX ISA 9.7.9).

All state spaces lie in one flat memory, so a generic address is the address itself and
`cvta` is a copy. The lanes of a pass resolve in order and every access is done within its
pass, so volatile, relaxed and cached accesses are plain ones (but see `is_strong`), and a fence
has nothing to wait for.
"""

from __future__ import annotations

from typing import Final

from codegen.lower import wide
from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import Reg, Symbol, Value
from codegen.lower.narrow import extend
from codegen.lower.rules import operands, rule
from codegen.ptx import ast
from vgpu.isa import MASK32, SPECIALS

_SPACES: Final = "global shared shared::cta local const param"
_ORDER: Final = "volatile relaxed acquire release weak cta cluster gpu sys nc mmio"
_CACHE: Final = "ca cg cs lu cv wb wt L1 L2 entry func cta"
ACCESS: Final = f"{_SPACES} {_ORDER} {_CACHE} v2 v4 v8"
_VECTORS: Final = ("v2", "v4", "v8")


@rule("ld ldu", "8 16 32 f32", ACCESS)
def load(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """One value or a vector of 2, 4 or 8."""
    target, source = operands(low, i, 2)
    wanted = elements(low, target, o)
    slots = slots_of(low, source)
    base, offset = (None, 0) if slots is not None else address(low, source)
    staged: list[tuple[ast.Operand, Reg]] = []
    for index, element in enumerate(wanted):
        apart = wide.is_wide(low, element)
        d = low.new() if apart else low.dest(element)
        if slots is not None:
            _from_slot(low, d, slots, source, index * o.width // 8, o)
        else:
            # a vector's address must outlive the first of its loads
            if len(wanted) > 1 and d is base:
                d, apart = low.new(), True
            low.emit(_load_name(o), d, base, plus(offset, index * o.width // 8))
        if apart:
            staged.append((element, d))
    for element, word in staged:
        if wide.is_wide(low, element):
            wide.put_extended(low, element, word, o.signed)
        else:
            low.emit("mov", low.dest(element), b=word)


@rule("st", "8 16 32 f32", ACCESS)
def store(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """One value or a vector of 2, 4 or 8."""
    target, source = operands(low, i, 2)
    given = elements(low, source, o)
    slots = slots_of(low, target)
    if slots is not None:
        for index, element in enumerate(given):
            value = wide.low_word(low, element)
            _to_slot(low, slots, target, index * o.width // 8, o, value)
        return
    base, offset = address(low, target)
    held = o.width == 32 and is_strong(low, o) and len(given) == 1
    for index, element in enumerate(given):
        value = low.reg(wide.low_word(low, element))
        if held:
            # not between the two halves of another lane's atomic operation
            low.emit("ld.lock", low.new(), base, offset)
            low.emit("st.unlock", None, base, offset, c=value)
            continue
        low.emit(f"st.b{o.width}", None, base, plus(offset, index * o.width // 8), c=value)


def is_strong(low: Lowering, o: Opcode) -> bool:
    """A store that atomic operations elsewhere in the file may meet, by the memory model."""
    strong = {"volatile", "relaxed", "release", "mmio"} & set(o.mods)
    return bool(strong) and "local" not in o.mods and low.unit.has_atomics


def elements(low: Lowering, operand: ast.Operand, o: Opcode) -> tuple[ast.Operand, ...]:
    count = next((int(m[1:]) for m in o.mods if m in _VECTORS), 1)
    if count == 1 and not isinstance(operand, ast.Vector):
        return (operand,)
    if isinstance(operand, ast.Vector) and len(operand.items) == count:
        return operand.items
    low.unsupported("the vector has the wrong number of elements")


def _load_name(o: Opcode) -> str:
    if o.width == 32:
        return "ld.b32"
    return f"ld.{'s' if o.signed else 'u'}{o.width}"


def plus(offset: int | Symbol, more: int) -> int | Symbol:
    if isinstance(offset, Symbol):
        return Symbol(offset.name, offset.offset + more)
    return (offset + more) & MASK32


def address(low: Lowering, operand: ast.Operand) -> tuple[Value | None, int | Symbol]:
    """(base register or None, constant part) of `[…]`."""
    if not isinstance(operand, ast.Address):
        low.unsupported("an address is expected")
    if operand.base is None:
        return None, operand.offset & MASK32
    if operand.base in low.types:
        if low.is_wide(operand.base):
            return low.halves(operand.base)[0], operand.offset & MASK32
        return low.word(low.register(operand.base)), operand.offset & MASK32
    if operand.base in low.frame:
        base = low.emit("s2r", low.new(), b=SPECIALS["%local"])
        offset = low.frame[operand.base] + operand.offset
        return base, Symbol(low.routine.frame, offset)
    value = low.address_of(operand.base, operand.offset)
    assert isinstance(value, Symbol)
    return None, value


# ---- parameters of calls, which live in registers ---------------------------------------------


def slots_of(low: Lowering, operand: ast.Operand) -> list[Reg] | None:
    if isinstance(operand, ast.Address) and operand.base in low.slots:
        return low.slots[operand.base]
    return None


def slot(low: Lowering, slots: list[Reg], at: int) -> Reg:
    if not 0 <= at < 4 * len(slots):
        low.unsupported("outside its parameter")
    return slots[at // 4]


def _from_slot(
    low: Lowering, d: Reg, slots: list[Reg], source: ast.Operand, extra: int, o: Opcode
) -> None:
    assert isinstance(source, ast.Address)
    at = source.offset + extra
    value: Value = slot(low, slots, at)
    if at % 4:
        value = low.emit("shr", low.new(), value, 8 * (at % 4))
    if o.width < 32:
        value = extend(low, value, o.width, o.signed)
    low.emit("mov", d, b=value)


def _to_slot(
    low: Lowering, slots: list[Reg], target: ast.Operand, extra: int, o: Opcode, value: Value
) -> None:
    assert isinstance(target, ast.Address)
    at = target.offset + extra
    word = slot(low, slots, at)
    if o.width == 32 or word not in low.shared_words:
        low.emit("mov", word, b=value)
        return
    # a part of a structure: the other bytes of the word stay
    shift, mask = 8 * (at % 4), (1 << o.width) - 1
    part = low.emit("shl", low.new(), low.emit("and", low.new(), value, mask), shift)
    kept = low.emit("and", low.new(), word, ~(mask << shift) & MASK32)
    low.emit("or", word, kept, part)


# ---- addresses ----------------------------------------------------------------------------------


@rule("cvta", "32", "to global shared local const param")
def convert_address(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A copy: every state space lies in the one memory."""
    d, a = operands(low, i, 2)
    low.emit("mov", low.dest(d), b=low.value(a))


_FENCES = (
    "cta gl gpu sys cluster sc acq_rel acquire release proxy alias async generic global shared "
    "shared::cta shared::cluster mbarrier_init sync_restrict::shared::cta "
    "sync_restrict::shared::cluster"
)


@rule("membar fence", "any", _FENCES)
def fence(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Nothing: every access is done within its pass, in the order of the program."""
