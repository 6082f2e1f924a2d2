"""Rules for moves, conversions, loads, stores and addresses of 64 bits (PTX ISA 9.7.9).

Words of a 64-bit value lie at 8-byte addresses, low word first, and move one by one.
"""

from __future__ import annotations

from codegen.lower import memory, wide
from codegen.lower.context import Lowering, Opcode, width_of
from codegen.lower.mir import Value
from codegen.lower.narrow import extend
from codegen.lower.rules import operands, rule
from codegen.lower.wide import Pair
from codegen.lower.wide_rules import least_or_most
from codegen.ptx import ast

# ---- moves --------------------------------------------------------------------------------------


@rule("mov", "64 f64")
def move(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A copy, an address, or parts put together ({a, b}) and taken apart."""
    d, a = operands(low, i, 2)
    if isinstance(a, ast.Vector):
        wide.put(low, d, _packed(low, a))
    elif isinstance(d, ast.Vector):
        _unpack(low, d, wide.pair(low, a))
    else:
        wide.put(low, d, wide.pair(low, a))


def _packed(low: Lowering, a: ast.Vector) -> Pair:
    """mov.b64 d, {low, high}; or four parts of 16 bits, lowest first."""
    if len(a.items) == 2:
        return low.value(a.items[0]), low.value(a.items[1])
    if len(a.items) != 4:
        low.unsupported("two parts of 32 bits or four of 16 are expected")
    parts = [wide.narrowed(low, item, "u16") for item in a.items]
    lower, upper = (
        low.emit("or", low.new(), low.emit("shl", low.new(), parts[n + 1], 16), parts[n])
        for n in (0, 2)
    )
    return lower, upper


def _unpack(low: Lowering, d: ast.Vector, value: Pair) -> None:
    """mov.b64 {low, high}, a."""
    if len(d.items) not in (2, 4):
        low.unsupported("two parts of 32 bits or four of 16 are expected")
    whole = [low.emit("mov", low.new(), b=word) for word in value]
    for place, item in enumerate(d.items):
        if item == ast.Name("_"):
            continue
        if len(d.items) == 2:
            low.emit("mov", low.dest(item), b=whole[place])
        else:
            low.emit("shr", low.dest(item), whole[place // 2], 16 * (place % 2))


@rule("cvta", "64", "to global shared shared::cta local const param")
def convert_address(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A copy: every state space lies in the one memory."""
    d, a = operands(low, i, 2)
    wide.put(low, d, wide.pair(low, a))


# ---- conversions --------------------------------------------------------------------------------


@rule("cvt", "64", "sat")
def convert(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Between integers, one of them of 64 bits."""
    d, a = operands(low, i, 2)
    if len(o.types) != 2 or any(t[0] not in "us" for t in o.types):
        low.unsupported()
    to, source = o.types
    if width_of(source) == 64:
        value = wide.pair(low, a)
    else:
        word = wide.narrowed(low, a, source)
        signed = source[0] == "s"
        value = word, low.emit("sar", low.new(), word, 31) if signed else 0
    if "sat" in o.mods:
        value = _saturated(low, value, to, source)
    if width_of(to) == 64:
        wide.put(low, d, value)
        return
    word = value[0]
    if width_of(to) < 32:
        word = extend(low, word, width_of(to), to[0] == "s")
    if wide.is_wide(low, d):
        wide.put_extended(low, d, word, to[0] == "s")
    else:
        low.emit("mov", low.dest(d), b=word)


def _saturated(low: Lowering, value: Pair, to: str, source: str) -> Pair:
    """Clamped to the range of `to`."""
    width = width_of(to)
    least = -(1 << (width - 1)) if to[0] == "s" else 0
    most = (1 << (width - (to[0] == "s"))) - 1
    signed = source[0] == "s"
    if signed and least > -(1 << 63):
        value = least_or_most(low, "max", value, wide.constant(least), True)
    if most < (wide.MASK64 >> 1 if signed else wide.MASK64):
        value = least_or_most(low, "min", value, wide.constant(most), signed)
    return value


# ---- loads and stores ---------------------------------------------------------------------------


@rule("ld ldu", "64 f64", memory.ACCESS)
def load(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """One value or a vector of 2, 4 or 8."""
    target, source = operands(low, i, 2)
    wanted = memory.elements(low, target, o)
    slots = memory.slots_of(low, source)
    if slots is not None:
        assert isinstance(source, ast.Address)
        words: list[Value] = [
            memory.slot(low, slots, source.offset + 4 * n) for n in range(2 * len(wanted))
        ]
    else:
        words = _loaded(low, source, o, 2 * len(wanted))
    for n, element in enumerate(wanted):
        wide.put(low, element, (words[2 * n], words[2 * n + 1]))


def _loaded(low: Lowering, source: ast.Operand, o: Opcode, count: int) -> list[Value]:
    base, offset = memory.address(low, source)
    held = count == 2 and memory.is_strong(low, o)
    words: list[Value] = [
        low.emit(
            "ld.lock" if held and n == 0 else "ld.b32",
            low.new(), base, memory.plus(offset, 4 * n),
        )
        for n in range(count)
    ]  # fmt: skip
    if held:
        # not between the two words of another lane's store
        low.emit("st.unlock", None, base, offset, c=low.reg(words[0]))
    return words


@rule("st", "64 f64", memory.ACCESS)
def store(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """One value or a vector of 2, 4 or 8."""
    target, source = operands(low, i, 2)
    given = memory.elements(low, source, o)
    words = [word for element in given for word in wide.pair(low, element)]
    slots = memory.slots_of(low, target)
    if slots is not None:
        assert isinstance(target, ast.Address)
        for n, word in enumerate(words):
            low.emit("mov", memory.slot(low, slots, target.offset + 4 * n), b=word)
        return
    values = [low.reg(word) for word in words]
    base, offset = memory.address(low, target)
    if len(given) == 1 and memory.is_strong(low, o):
        low.emit("ld.lock", low.new(), base, offset)
        low.emit("st.b32", None, base, memory.plus(offset, 4), c=values[1])
        low.emit("st.unlock", None, base, offset, c=values[0])
        return
    for n, value in enumerate(values):
        low.emit("st.b32", None, base, memory.plus(offset, 4 * n), c=value)
