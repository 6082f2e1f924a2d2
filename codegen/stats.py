"""How good the code is: machine instructions executed, beside the PTX instructions of the same run.

PTX has no machine here to count on, so the PTX is lowered once more without any optimisation, with
an instruction that does nothing (a mark) before what is made of each PTX instruction. A launch of
that program on the interpreter executes a mark for each PTX instruction that a thread executes,
those with a false guard included, as on a GPU. The marks are no part of the program that runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from codegen.compiler import choose
from codegen.lower.function import MARK
from codegen.lower.places import Places
from codegen.lower.program import build
from codegen.ptx import parse
from vgpu.geometry import Geometry
from vgpu.interpreter import Interpreter
from vgpu.program import Program
from vgpu.runtime import Machine, Run

_ROOM: Final = Geometry(instructions=1 << 14)

Launch = Callable[[Machine, Program], Run]
"""Runs a program with the arguments and sizes of one launch."""


@dataclass(frozen=True)
class Executed:
    """What all threads of a launch executed: machine instructions, those of them in called
    routines of the device library, and PTX instructions."""

    machine: int
    library: int
    ptx: int

    @property
    def ratio(self) -> float:
        """Machine instructions for each PTX instruction; the library counts apart."""
        return (self.machine - self.library) / max(self.ptx, 1)


class _Counting(Interpreter):
    """An interpreter that counts how often each instruction is executed."""

    def __init__(self) -> None:
        super().__init__(_ROOM)
        self.counts: Counter[int] = Counter()

    def _execute(self, w: dict[str, int], out: dict[str, int]) -> None:
        if w["run"]:
            self.counts[w["addr"]] += 1
        super()._execute(w, out)


def marked(ptx: str, program: Program, kernel: str | None = None) -> Program:
    """The program of the same kernel with a mark before each PTX instruction. `kernel` chooses
    it where its plain name does not: an instance of a template."""
    module = parse(ptx)
    function = choose(module, kernel or program.kernel, "kernel.ptx")
    places = Places("kernel.ptx", False, {})
    return build(module, function, program.params, places, program.kernel, marks=True)


def executed(program: Program, with_marks: Program, launch: Launch) -> Executed:
    """Counts of one launch of `program`; `with_marks` is what `marked` made of it."""
    counts = _count(program, launch)
    library = sum(n for pc, n in counts.items() if program.source[pc] is None)
    marks = _count(with_marks, launch)
    ptx = sum(n for pc, n in marks.items() if _is_mark(with_marks, pc))
    return Executed(sum(counts.values()), library, ptx)


def _count(program: Program, launch: Launch) -> Counter[int]:
    engine = _Counting()
    launch(Machine(engine), program)
    return engine.counts


def _is_mark(program: Program, pc: int) -> bool:
    source = program.source[pc]
    return source is not None and source.text == MARK
