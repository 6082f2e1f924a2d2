"""Allocated routines → 64-bit instruction words, addresses and branch targets filled in."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.lower.allocate import Allocation
from codegen.lower.calls import LINK
from codegen.lower.mir import Ins, Reg, Routine, Symbol, Target
from vgpu.isa import MASK32, MEETING, MEETINGS, OPS, PLOP_R, PLOP_TABLE, Instruction
from vgpu.program import Source


@dataclass(frozen=True)
class Assembled:
    """`registers` and `predicates` are how many of them the code uses."""

    code: tuple[int, ...]
    source: tuple[Source | None, ...]
    registers: int
    predicates: int


def assemble(
    routines: list[Routine],
    allocations: dict[str, Allocation],
    addresses: dict[str, int],
    sources: list[Source | None],
) -> Assembled:
    """`routines` in memory order, the kernel first; `addresses` by symbol, in bytes."""
    lines: list[tuple[Ins, Routine]] = []
    labels: dict[tuple[str, str], int] = {}
    entries: dict[str, int] = {}
    tables: dict[str, int] = {}
    for routine in routines:
        entries[routine.name] = len(lines)
        colours = allocations[routine.name].colours
        for block in routine.blocks:
            labels[routine.name, block.label] = len(lines)
            for ins in block.code:
                if _is_idle(ins, colours):
                    continue
                if ins.op == "call":
                    lines.append((Ins("mov", LINK, b=len(lines) + 2, at=ins.at), routine))
                    ins = Ins("call", b=ins.b, at=ins.at)
                lines.append((ins, routine))
                if ins.op == "table":
                    tables[ins.table] = len(lines)
                    jumps = [Ins("bra", b=Target(way), at=ins.at) for way in ins.ways]
                    lines += [(jump, routine) for jump in jumps]
    places = addresses | tables
    code: list[int] = []
    used: set[tuple[bool, int]] = set()
    for ins, routine in lines:
        colours = allocations[routine.name].colours
        target = None
        if isinstance(ins.b, Target):
            where = entries[ins.b.name] if ins.op == "call" else labels[routine.name, ins.b.name]
            target = where
        instruction = _instruction(ins, colours, places, target)
        code.append(instruction.encode())
        for register in (*ins.uses(), *ins.defs):
            used.add((register.predicate, _colour(register, colours)))
    return Assembled(
        code=tuple(code),
        source=tuple(sources[ins.at] if ins.at >= 0 else None for ins, _ in lines),
        registers=sum(not predicate for predicate, _ in used),
        predicates=sum(predicate for predicate, _ in used),
    )


def _colour(register: Reg, colours: dict[Reg, int]) -> int:
    return register.fixed if register.fixed is not None else colours[register]


def _is_idle(ins: Ins, colours: dict[Reg, int]) -> bool:
    """A copy whose two ends share a register."""
    if ins.d is None:
        return False
    source = ins.copies
    if source is None and ins.op == "mov" and isinstance(ins.b, Reg):
        source = ins.b
    return source is not None and _colour(source, colours) == _colour(ins.d, colours)


def _instruction(
    ins: Ins, colours: dict[Reg, int], addresses: dict[str, int], target: int | None
) -> Instruction:
    def number(register: Reg | None) -> int:
        return _colour(register, colours) if register is not None else 0

    op = "bra" if ins.op in ("call", "table") else ins.op
    if ins.op == "plop":
        b, immediate = PLOP_R.put(number(ins.r)) | PLOP_TABLE.put(ins.k), False
    elif ins.op == "s2r":
        assert isinstance(ins.b, int)
        b, immediate = ins.b, False
    elif isinstance(ins.b, Reg):
        b, immediate = number(ins.b), False
    elif isinstance(ins.b, Symbol):
        b, immediate = addresses[ins.b.name] + ins.b.offset & MASK32, True
    elif isinstance(ins.b, int):
        b, immediate = ins.b & MASK32, True
    elif target is not None:
        b, immediate = target, True
    else:
        b, immediate = 0, OPS[op].reads_b
    if "warp" in OPS[op].lines:
        b = b & ~MEETING.put(MEETINGS - 1) | MEETING.put(ins.k)
    needs_a = OPS[op].reads_a
    return Instruction(
        op=op,
        rd=number(ins.d),
        ra=number(ins.a) if isinstance(ins.a, Reg) else None if needs_a else 0,
        b=b,
        bimm=immediate,
        rc=number(ins.c if ins.w is None else ins.w),
        q=number(ins.q),
        qneg=ins.qneg,
        guard=number(ins.guard) if ins.guard is not None else None,
        gneg=ins.gneg,
    )
