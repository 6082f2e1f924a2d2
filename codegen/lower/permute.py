"""Rules that take words apart into bytes, and logic of three inputs (PTX ISA 9.7.1 and 9.7.8)."""

from __future__ import annotations

from functools import cache
from typing import Final

from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import AND, OR, XOR, Reg, Value
from codegen.lower.rules import operands, rule
from codegen.ptx import ast

# selectors of the special modes, by the low two bits of c (PTX ISA, prmt)
_MODES: Final = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


@rule("prmt", "32", "f4e b4e rc8 ecl ecr rc16")
def permute_bytes(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Four bytes picked from b:a by the nibbles of c; bit 3 of a nibble spreads the sign."""
    d, a, b, c = operands(low, i, 4)
    x, y, selector = low.value(a), low.reg(low.value(b)), low.value(c)
    if o.mods:
        selector = _selector(low, _MODES[o.mods[0]], selector)
    low.emit("prmt", low.dest(d), x, selector, c=y)


def _selector(low: Lowering, table: tuple[int, ...], chosen: Value) -> Value:
    """The selector that the low bits of `chosen` name: two bytes of the table, side by side."""
    if isinstance(chosen, int):
        return table[chosen & 3]
    number = low.emit("and", low.new(), chosen, 3)
    pick = low.emit("mad", low.new(), number, 0x22, c=low.reg(0x10))
    first, second = table[0] | table[1] << 16, table[2] | table[3] << 16
    return low.emit("prmt", low.new(), first, pick, c=low.reg(second))


# ---- dot products of packed numbers -----------------------------------------------------------


@rule("dp4a", "32")
def dot_of_bytes(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = c + the sum of four products of bytes."""
    d, a, b, c = operands(low, i, 4)
    if len(o.types) != 2:
        low.unsupported("expected two types")
    left = [_part(low, low.value(a), 8, n, o.types[0]) for n in range(4)]
    right = [_part(low, low.value(b), 8, n, o.types[1]) for n in range(4)]
    _dot(low, low.dest(d), left, right, low.value(c))


@rule("dp2a", "32", "lo hi")
def dot_of_halves(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = c + two halves of a times the lower, or upper, two bytes of b."""
    d, a, b, c = operands(low, i, 4)
    if len(o.types) != 2:
        low.unsupported("expected two types")
    first = 2 if "hi" in o.mods else 0
    left = [_part(low, low.value(a), 16, n, o.types[0]) for n in range(2)]
    right = [_part(low, low.value(b), 8, first + n, o.types[1]) for n in range(2)]
    _dot(low, low.dest(d), left, right, low.value(c))


def _part(low: Lowering, value: Value, width: int, number: int, type_: str) -> Reg:
    """Part `number` of a packed word, extended to 32 bits as `type_` says."""
    up = 32 - width * (number + 1)
    if type_ == "s32":
        top = low.emit("shl", low.new(), value, up) if up else value
        return low.emit("sar", low.new(), top, 32 - width)
    if up == 0:
        return low.emit("shr", low.new(), value, 32 - width)
    down = low.emit("shr", low.new(), value, width * number) if number else value
    return low.emit("and", low.new(), down, (1 << width) - 1)


def _dot(low: Lowering, d: Reg, left: list[Reg], right: list[Reg], total: Value) -> None:
    for x, y in zip(left, right, strict=True):
        total = low.emit("mad", low.new(), x, y, c=low.reg(total))
    low.emit("mov", d, b=total)


# ---- logic of three inputs ----------------------------------------------------------------------

_INPUTS: Final = (0xF0, 0xCC, 0xAA)
_TABLES: Final = {"and": AND, "or": OR, "xor": XOR}


@rule("lop3", "32", "and or xor")
def three_way_logic(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Any function of three bits; with .and, .or, .xor also p = (d != 0) combined with q."""
    if o.mods:
        target, a, b, c, table, q = operands(low, i, 6)
    else:
        target, a, b, c, table = operands(low, i, 5)
    if not isinstance(table, ast.Number) or not 0 <= table.value <= 255:
        low.unsupported("a truth table from 0 to 255 is expected")
    inputs = dict(zip(_INPUTS, (low.value(x) for x in (a, b, c)), strict=True))
    result = _formed(low, table.value, inputs)
    if not o.mods:
        low.emit("mov", low.dest(target), b=result)
        return
    if not isinstance(target, ast.Pair):
        low.unsupported("d|p is expected")
    some = low.new(predicate=True)
    low.emit("setp.ne", some, result, 0)
    low.logic(low.predicate(ast.Name(target.second))[0], low.predicate(q), some, _TABLES[o.mods[0]])
    if target.first != "_":
        low.emit("mov", low.dest(ast.Name(target.first)), b=result)


def _formed(low: Lowering, table: int, inputs: dict[int, Value]) -> Value:
    if table in inputs:
        return inputs[table]
    if table in (0, 255):
        return 0xFFFFFFFF if table else 0
    op, first, second = _recipes()[table]
    x = _formed(low, first, inputs)
    if op == "not":
        return low.emit("not", low.new(), b=x)
    return low.emit(op, low.new(), x, _formed(low, second, inputs))


@cache
def _recipes() -> dict[int, tuple[str, int, int]]:
    """For each truth table the operation, and the tables of its operands, that cost least."""
    found: dict[int, tuple[str, int, int]] = {}
    cost = dict.fromkeys((*_INPUTS, 0, 255), 0)
    while len(cost) < 256:
        size = max(cost.values()) + 1
        fresh: dict[int, tuple[str, int, int]] = {}
        for x, mine in cost.items():
            if mine == size - 1:
                fresh.setdefault(x ^ 255, ("not", x, x))
            for y, others in cost.items():
                if mine + others == size - 1:
                    for op, table in (("and", x & y), ("or", x | y), ("xor", x ^ y)):
                        fresh.setdefault(table, (op, x, y))
        new = {table: recipe for table, recipe in fresh.items() if table not in cost}
        found |= new
        cost |= dict.fromkeys(new, size)
    return found
