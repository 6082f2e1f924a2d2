"""Which registers hold a value that is still wanted. Sets are integers, a bit a register."""

from __future__ import annotations

from codegen.lower.mir import Ins, Reg, Routine


class Liveness:
    """Live registers at the ends of each block; `step` walks back over one instruction."""

    def __init__(self, routine: Routine) -> None:
        self.index: dict[Reg, int] = {}
        self.registers: list[Reg] = []
        for ins in routine.instructions():
            for register in (*ins.uses(), *ins.defs, *ins.clobbers):
                self._number(register)
        self.live_out: dict[str, int] = {b.label: 0 for b in routine.blocks}
        self.live_in: dict[str, int] = {b.label: 0 for b in routine.blocks}
        self._solve(routine)

    def _number(self, register: Reg) -> None:
        if register not in self.index:
            self.index[register] = len(self.registers)
            self.registers.append(register)

    def bit(self, register: Reg) -> int:
        return 1 << self.index[register]

    def step(self, ins: Ins, live: int) -> int:
        """Live before `ins`, given what is live after it."""
        for register in ins.clobbers:
            live &= ~self.bit(register)
        if not ins.keeps:
            for register in ins.defs:
                live &= ~self.bit(register)
        for register in ins.uses():
            live |= self.bit(register)
        if ins.keeps:
            for register in ins.defs:
                live |= self.bit(register)
        return live

    def _solve(self, routine: Routine) -> None:
        changed = True
        while changed:
            changed = False
            for block in reversed(routine.blocks):
                live = 0
                for label in block.successors():
                    live |= self.live_in[label]
                self.live_out[block.label] = live
                for ins in reversed(block.code):
                    live = self.step(ins, live)
                if live != self.live_in[block.label]:
                    self.live_in[block.label] = live
                    changed = True


def read_unwritten(routine: Routine) -> set[Reg]:
    """Registers that may be read before anything has written them.

    LLVM leaves them where the first round of a loop does not care. Such a register may change
    between a copy of it and a use of the copy, although only one instruction writes it.
    """
    liveness = Liveness(routine)
    live = liveness.live_in[routine.blocks[0].label]
    return {register for register, at in liveness.index.items() if live >> at & 1}


def remove_dead(routine: Routine) -> bool:
    """Drops instructions whose result nobody reads; tells whether there were any."""
    liveness = Liveness(routine)
    dropped = False
    for block in routine.blocks:
        live = liveness.live_out[block.label]
        kept: list[Ins] = []
        for ins in reversed(block.code):
            wanted = any(live & liveness.bit(register) for register in ins.defs)
            if not wanted and not ins.has_effect or _changes_nothing(ins):
                dropped = True
                continue
            kept.append(ins)
            live = liveness.step(ins, live)
        block.code = kept[::-1]
    return dropped


def _changes_nothing(ins: Ins) -> bool:
    return ins.copies is ins.d and ins.d is not None
