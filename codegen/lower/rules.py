"""The table of lowering rules: PTX opcode and type → a function that emits machine code.

    @rule("add", "16 32")
    def add(low, i, o): …

`o` is the opcode taken apart. A rule names the modifiers it understands; an instruction with any
other is rejected, so nothing is ever computed by halves.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from codegen.lower.context import Lowering, Opcode
from codegen.lower.operand_types import check
from codegen.ptx import ast

Rule = Callable[[Lowering, ast.Instruction, Opcode], None]

RULES: Final[dict[tuple[str, str], tuple[Rule, frozenset[str]]]] = {}
# the instructions that only move values, of floating-point types too
MOVES: Final = frozenset(("mov", "ld", "ldu", "st", "selp", "slct"))
HINTED: Final = frozenset(
    ("ld", "st", "cp", "atom", "red", "prefetch", "applypriority", "discard", "createpolicy")
)
HINTS: Final = ("L1::", "L2::")


def rule(names: str, types: str, mods: str = "") -> Callable[[Rule], Rule]:
    """Registers a rule for opcodes `names` and type classes `types`.

    Type classes: a width (8 16 32 64, of u, s or b), `pred`, `f32`, `none`, or `any`.
    """

    def register(function: Rule) -> Rule:
        for name in names.split():
            for type_ in types.split():
                RULES[name, type_] = (function, frozenset(mods.split()))
        return function

    return register


def type_class(type_: str) -> str:
    if not type_:
        return "none"
    return type_[1:] if type_[0] in "bus" else type_


def kind_of(opcode: Opcode) -> str:
    """The type class that chooses the rule: 64 when the sources or the result have 64 bits."""
    if opcode.base == "slct" and opcode.types:
        return type_class(opcode.types[0])
    widens = opcode.base in ("mul", "mad") and "wide" in opcode.mods and opcode.width == 32
    if widens or any(type_class(t) == "64" for t in opcode.types):
        return "64"
    return type_class(opcode.type)


_FLOAT: Final = "the machine has no floating point yet; use integers, scaled if need be"
_VIDEO: Final = "video instructions are not supported: use plain arithmetic on the parts"
_TEXTURE: Final = "the machine has no textures and no surfaces: pass an array"
_MATRIX: Final = "the machine has no matrix unit: multiply and add"
_CLUSTER: Final = "the machine runs one block at a time: there are no clusters"
_ASYNC: Final = "the machine has no asynchronous copies of this kind: use loads and stores"
_STACK: Final = "declare a .local array of constant size instead"
WHY: Final = {
    "f16": _FLOAT, "f16x2": _FLOAT, "bf16": _FLOAT, "bf16x2": _FLOAT, "f32": _FLOAT,
    "f64": "the machine has no double precision",
    "128": "values of 128 bits are not supported: use two of 64",
    **dict.fromkeys(
        "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 "
        "vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4".split(), _VIDEO),
    **dict.fromkeys("tex tld4 txq istypep suld sust sured suq".split(), _TEXTURE),
    **dict.fromkeys("wmma mma ldmatrix stmatrix movmatrix wgmma tcgen05".split(), _MATRIX),
    **dict.fromkeys("mapa getctarank multimem".split(), _CLUSTER),
    **dict.fromkeys("mbarrier tensormap clusterlaunchcontrol".split(), _ASYNC),
    **dict.fromkeys("alloca stacksave stackrestore".split(), _STACK),
    **dict.fromkeys("sin cos lg2 ex2 tanh rsqrt sqrt rcp copysign fma testp".split(), _FLOAT),
}  # fmt: skip


def apply(low: Lowering, instruction: ast.Instruction) -> None:
    """Emits the machine code of one PTX instruction. Raises CompileError when there is none."""
    opcode = Opcode.of(instruction.opcode)
    instruction, opcode = _without_hints(instruction, opcode)
    kind = kind_of(opcode)
    if opcode.base == "cvt" and any(_is_wide(low, x) for x in instruction.operands):
        kind = "64"  # registers may be wider than the types
    found = RULES.get((opcode.base, kind)) or RULES.get((opcode.base, "any"))
    floats = [type_class(t) for t in opcode.types if "f" in t]
    if floats and opcode.base not in MOVES:
        low.unsupported(WHY.get(floats[0], ""))
    if found is None:
        low.unsupported(WHY.get(opcode.base) or WHY.get(kind) or _nearest(opcode.base, kind))
    function, mods = found
    unknown = [m for m in opcode.mods if m not in mods]
    if unknown:
        low.unsupported(f".{unknown[0]} is not supported")
    check(low, instruction, opcode)
    function(low, instruction, opcode)


def _is_wide(low: Lowering, operand: ast.Operand) -> bool:
    return isinstance(operand, ast.Name) and low.is_wide(operand.text)


def _without_hints(i: ast.Instruction, o: Opcode) -> tuple[ast.Instruction, Opcode]:
    """Without what it says of caches: there are none. `.L2::cache_hint` has an operand."""
    if o.base not in HINTED or not any(m.startswith(HINTS) for m in o.mods):
        return i, o
    if "L2::cache_hint" in o.mods:
        i = replace(i, operands=i.operands[:-1])
    return i, replace(o, mods=tuple(m for m in o.mods if not m.startswith(HINTS)))


def _nearest(base: str, kind: str) -> str:
    """What is wrong with an opcode that no rule has."""
    kinds = {k for name, k in RULES if name == base}
    widths = sorted(int(k) for k in kinds if k.isdigit())
    if widths:
        return f"{base} works on types of {', '.join(map(str, widths))} bits"
    if kinds:
        return f"{base} takes no type" if "none" in kinds else ""
    near = difflib.get_close_matches(base, {name for name, _ in RULES}, 1)
    return "there is no such instruction" + (f"; did you mean {near[0]}?" if near else "")


def operands(low: Lowering, instruction: ast.Instruction, count: int) -> tuple[ast.Operand, ...]:
    """The operands, which must be `count`."""
    if len(instruction.operands) != count:
        low.unsupported(f"{count} operands expected")
    return instruction.operands
