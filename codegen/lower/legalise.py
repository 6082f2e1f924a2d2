"""The last liberties go: what the machine's instruction format cannot hold gets a register."""

from __future__ import annotations

from typing import Final

from codegen.lower.mir import Ins, Reg, Routine, Symbol
from vgpu.isa import MASK32, OPS

_COMMUTES: Final = frozenset(
    "add mul mad and or xor mulhi.u mulhi.s min.s min.u max.s max.u add.co addc".split()
)
_SWAPPED: Final = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def legalise(routine: Routine) -> None:
    """Operand A of every instruction becomes a register, or nothing (reads as 0)."""
    for block in routine.blocks:
        code: list[Ins] = []
        for ins in block.code:
            code += _legal(routine, ins)
            code.append(ins)
        block.code = code


def _legal(routine: Routine, ins: Ins) -> list[Ins]:
    """The instructions to put before `ins`, which is changed in place."""
    if not isinstance(ins.a, int | Symbol) or ins.op not in OPS:
        return []
    if isinstance(ins.b, Reg):
        if ins.op in _COMMUTES:
            ins.a, ins.b = ins.b, ins.a
            return []
        if ins.op.startswith("setp."):
            _, relation, *suffix = ins.op.split(".")
            ins.op = ".".join(["setp", _SWAPPED[relation], *suffix])
            ins.a, ins.b = ins.b, ins.a
            return []
        if ins.op == "sub" and ins.a == MASK32:
            ins.op, ins.a = "not", None
            return []
    if ins.a == 0 and not OPS[ins.op].reads_q:
        ins.a = None
        return []
    constant = routine.new()
    before = Ins("mov", constant, b=ins.a, at=ins.at)
    ins.a = constant
    return [before]
