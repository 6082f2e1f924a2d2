"""The table of lowering rules: PTX opcode and type → a function that emits machine code.

    @rule("add", "16 32")
    def add(low, i, o): …

`o` is the opcode taken apart. A rule names the modifiers it understands; an instruction with any
other is rejected, so nothing is ever computed by halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from codegen.lower.context import Lowering, Opcode
from codegen.ptx import ast

Rule = Callable[[Lowering, ast.Instruction, Opcode], None]

_RULES: Final[dict[tuple[str, str], tuple[Rule, frozenset[str]]]] = {}


def rule(names: str, types: str, mods: str = "") -> Callable[[Rule], Rule]:
    """Registers a rule for opcodes `names` and type classes `types`.

    Type classes: a width (8 16 32 64, of u, s or b), `pred`, `f32`, `none`, or `any`.
    """

    def register(function: Rule) -> Rule:
        for name in names.split():
            for type_ in types.split():
                _RULES[name, type_] = (function, frozenset(mods.split()))
        return function

    return register


def type_class(type_: str) -> str:
    if not type_:
        return "none"
    return type_[1:] if type_[0] in "bus" else type_


def kind_of(opcode: Opcode) -> str:
    """The type class that chooses the rule: 64 when the sources or the result have 64 bits."""
    widens = opcode.base in ("mul", "mad") and "wide" in opcode.mods and opcode.width == 32
    if widens or any(type_class(t) == "64" for t in opcode.types):
        return "64"
    return type_class(opcode.type)


_WHY: Final = {
    "f32": "the machine has no floating point yet; use integers, scaled if need be",
    "f64": "the machine has no double precision",
}


def apply(low: Lowering, instruction: ast.Instruction) -> None:
    """Emits the machine code of one PTX instruction. Raises CompileError when there is none."""
    opcode = Opcode.of(instruction.opcode)
    kind = kind_of(opcode)
    found = _RULES.get((opcode.base, kind)) or _RULES.get((opcode.base, "any"))
    floats = [t for t in opcode.types if t in ("f16", "f32", "f64")]
    if floats and opcode.base == "cvt":
        low.unsupported(_WHY.get(floats[0], ""))
    if found is None:
        low.unsupported(_WHY.get(opcode.base) or _WHY.get(kind, ""))
    function, mods = found
    unknown = [m for m in opcode.mods if m not in mods]
    if unknown:
        low.unsupported(f".{unknown[0]} is not supported")
    function(low, instruction, opcode)


def operands(low: Lowering, instruction: ast.Instruction, count: int) -> tuple[ast.Operand, ...]:
    """The operands, which must be `count`."""
    if len(instruction.operands) != count:
        low.unsupported(f"{count} operands expected")
    return instruction.operands
