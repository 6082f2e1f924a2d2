"""Spill code: registers that found no place go to the thread's stack, predicates to a register.

Each use loads the value into a register of its own and each write stores it, so what is left of
the old range is an instruction or two long.
"""

from __future__ import annotations

from codegen.lower.mir import Ins, Reg, Routine, Symbol
from codegen.lower.recursion import STACK
from vgpu.isa import SPECIALS


def spill(routine: Routine, registers: list[Reg]) -> set[Reg]:
    """Rewrites `routine`; returns the new registers, which must not be spilled again."""
    made: set[Reg] = set()
    for register in registers:
        if register.predicate:
            _to_register(routine, register, made)
        else:
            _to_stack(routine, register, made)
    return made


def _to_stack(routine: Routine, register: Reg, made: set[Reg]) -> None:
    slot = Symbol(routine.frame, routine.frame_bytes)
    routine.frame_bytes += 4
    for block in routine.blocks:
        code: list[Ins] = []
        for ins in block.code:
            writes = ins.d is register
            keeps = writes and ins.keeps
            if not writes and register not in ins.uses():
                code.append(ins)
                continue
            short = _fresh(routine, False, made)
            if keeps or register in ins.uses():
                code += _access(routine, "ld.b32", short, slot, ins, made)
                ins.replace(register, short)
            code.append(ins)
            if writes:
                ins.d = short
                code += _access(routine, "st.b32", short, slot, ins, made)
        block.code = code


def _access(
    routine: Routine, op: str, value: Reg, slot: Symbol, ins: Ins, made: set[Reg]
) -> list[Ins]:
    if routine.recursive:
        if op == "ld.b32":
            return [Ins(op, value, STACK, slot, at=ins.at)]
        return [Ins(op, None, STACK, slot, c=value, at=ins.at)]
    base = _fresh(routine, False, made)
    where = Ins("s2r", base, b=SPECIALS["%local"], at=ins.at)
    if op == "ld.b32":
        return [where, Ins(op, value, base, slot, at=ins.at)]
    return [where, Ins(op, None, base, slot, c=value, at=ins.at)]


def _to_register(routine: Routine, predicate: Reg, made: set[Reg]) -> None:
    """The predicate is 0 or 1 in a register, which may itself be spilled later."""
    home = routine.new()
    for block in routine.blocks:
        code: list[Ins] = []
        for ins in block.code:
            writes = predicate in ins.defs
            keeps = writes and ins.keeps
            if not writes and predicate not in ins.uses():
                code.append(ins)
                continue
            short = _fresh(routine, True, made)
            if keeps or predicate in ins.uses():
                code.append(Ins("setp.ne", short, home, 0, at=ins.at))
                ins.replace(predicate, short)
            code.append(ins)
            if writes:
                if ins.d is predicate:
                    ins.d = short
                else:
                    ins.w = short
                code.append(Ins("mov", home, b=0, at=ins.at))
                code.append(Ins("mov", home, b=1, guard=short, at=ins.at))
        block.code = code


def _fresh(routine: Routine, predicate: bool, made: set[Reg]) -> Reg:
    register = routine.new(predicate)
    made.add(register)
    return register
