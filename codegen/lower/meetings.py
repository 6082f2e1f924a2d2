"""Numbers the meetings of warp operations: one for each mask (see `vgpu.isa.MEETING`).

The lanes of a mask all come to the same warp operation with the same mask. A lane that waits at one
with another mask must not be taken for one that has come here, so operations with different masks
get different numbers. Masks are the same when they are the same constant or the same register.
"""

from __future__ import annotations

from codegen.lower.mir import Ins, Reg, Routine
from vgpu.isa import MASK32, MEETINGS, OPS

Mask = int | tuple[str, Reg]


class TooManyMasksError(Exception):
    """`at` is the number of the PTX instruction whose mask is one too many."""

    def __init__(self, at: int) -> None:
        super().__init__(f"more than {MEETINGS} different masks in warp operations")
        self.at = at


def first_meetings() -> dict[Mask, int]:
    """The whole warp's mask has number 0."""
    return {MASK32: 0}


def number_meetings(routine: Routine, known: dict[Mask, int]) -> None:
    """Gives every warp operation its number; `known` grows with the masks of the program."""
    written: dict[Reg, list[Ins]] = {}
    for ins in routine.instructions():
        for register in ins.defs:
            written.setdefault(register, []).append(ins)
    for ins in routine.instructions():
        if ins.op in OPS and "warp" in OPS[ins.op].lines and ins.c is not None:
            mask = _mask(ins.c, written, routine.name)
            if mask not in known and len(known) == MEETINGS:
                raise TooManyMasksError(ins.at)
            ins.k = known.setdefault(mask, len(known))


def _mask(register: Reg, written: dict[Reg, list[Ins]], routine: str) -> Mask:
    """The constant that a register holds, or the register that it is a copy of."""
    seen = {register}
    while True:
        sources = written.get(register, [])
        if not sources or any(s.op != "mov" or s.guard is not None for s in sources):
            return routine, register
        values = {s.b for s in sources if isinstance(s.b, int | Reg)}
        if len(values) != 1 or len(values) != len({repr(s.b) for s in sources}):
            return routine, register
        (value,) = values
        if isinstance(value, int):
            return value & MASK32
        if value in seen:
            return routine, register
        seen.add(value)
        register = value
