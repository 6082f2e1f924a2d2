"""One try at a task: a draft is compiled, looked at and run; what goes wrong is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from assistant.advanced import literals
from assistant.advanced.extent import MOST, Extent
from assistant.advanced.signature import OUT, head_of
from assistant.advanced.task import Task
from assistant.advanced.write import Draft
from vgpu.errors import Cancelled, RunError, VgpuError

if TYPE_CHECKING:
    from vgpu import Machine, Program

THREADS = 32
_GUARD = 32  # numbers after the result that a kernel has no business with
FILE = "kernel.cu"  # the name by which diagnostics speak of a draft
Stage = Literal["write", "compile", "data", "run", "output", "check"]


class Failed(Exception):
    """A draft is no answer; `stage` says where it failed."""

    def __init__(self, stage: Stage, problem: str) -> None:
        super().__init__(problem)
        self.stage, self.problem = stage, problem


@dataclass
class Attempt:
    """A draft and what became of it. `seen` are the examples that its writer was shown. `results`
    are what it gave for the inputs of the self-check, None where it gave nothing."""

    number: int
    draft: Draft
    seen: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()
    source: str = ""
    program: Program | None = None
    figures: tuple[int, ...] | None = None
    stage: str = ""
    problem: str = ""
    results: tuple[tuple[int, ...] | None, ...] = ()
    checked: tuple[str, ...] = ()
    passes: int = 0
    words: int = 0
    check_passes: int = 0
    seconds: float = 0.0
    write_seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.program is not None and not self.problem

    @property
    def compiled(self) -> bool:
        return self.program is not None

    def record(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "cuda": self.source or self.draft.source,
            "gives": str(self.draft.extent),
            "order_free": self.draft.order_free,
            "examples": list(self.seen),
            "lifted": list(self.lifted),
            "compiled": self.compiled,
            "passed": self.passed,
            "stage": self.stage,
            "problem": self.problem,
            "checks": list(self.checked),
            "probability": self.draft.probability,
            "passes": self.passes,
            "check_passes": self.check_passes,
            "write_seconds": self.write_seconds,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Ran:
    out: tuple[int, ...]
    passes: int
    words: int
    seconds: float


class Bench:
    """Where drafts are compiled and run: one block of 32 threads, `out` zeroed before."""

    def __init__(
        self, machine: Machine, max_passes: int, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        self.machine, self.max_passes, self._stopped = machine, max_passes, stopped

    def compile(self, attempt: Attempt, task: Task) -> Program:
        """The program of the attempt's draft. Raises Failed."""
        import codegen

        if not attempt.draft.whole:
            raise Failed("write", "the kernel was not finished: write a shorter one")
        attempt.source, found = literals.lifted(attempt.draft.source, task)
        attempt.lifted = tuple(found)
        try:
            program = codegen.compile_source(attempt.source, name=FILE)
        except VgpuError as error:
            raise Failed("compile", " ".join(str(error).split())) from None
        attempt.program = program
        written = head_of(literals.without_comments(attempt.source))
        if written is None or written.shape != task.signature.shape or (
            [p.name for p in program.params] != [p.name for p in task.signature.parameters]
        ):  # fmt: skip
            raise Failed("data", f"the kernel must be {task.signature}")
        found_problem = literals.problem(attempt.source, task)
        if not found_problem and program.stats.get("folded"):
            found_problem = "the program stores a constant: the compiler had computed it"
        if found_problem:
            raise Failed("data", found_problem)
        return program

    def run(self, program: Program, task: Task, extent: Extent, inputs: Mapping[str, Any]) -> Ran:
        """The numbers of `out` that are the result. Raises Failed with stage run or output."""
        import vgpu

        given: dict[str, Any] = {}
        for parameter in task.signature.parameters:
            if parameter.name != OUT:
                value = inputs[parameter.name]
                given[parameter.name] = (
                    vgpu.Array(parameter.element, value or [0]) if parameter.pointer else value
                )
        room = extent.room(inputs) + _GUARD
        try:
            run = self.machine.run(
                program, given, {OUT: (task.signature.out.element, room)}, block=THREADS,
                max_passes=self.max_passes, progress=self._progress,
            )  # fmt: skip
        except Cancelled:
            raise
        except RunError as error:
            where = f"{error.where[0]}:{error.where[1]}: " if error.where else ""
            raise Failed("run", " ".join(f"{where}{error}".split())) from None
        except VgpuError as error:
            raise Failed("run", " ".join(str(error).split())) from None
        out = run.outputs[OUT]
        return Ran(_result(out, extent, inputs), run.passes, run.words, run.seconds)

    def _progress(self, _passes: int) -> None:
        if self._stopped():
            raise Cancelled("stopped")


def _result(out: Sequence[int], extent: Extent, inputs: Mapping[str, Any]) -> tuple[int, ...]:
    """The part of `out` that is the result. Raises Failed when there is none."""
    count = extent.count(inputs, out)
    room = len(out) - _GUARD
    if not 1 <= count <= min(room, MOST):
        raise Failed("output", f"{extent} would be {count:,} numbers of {room:,}")
    beyond = next((at for at, value in enumerate(out[count:], count) if value), None)
    if beyond is not None:
        raise Failed("output", f"it writes out[{beyond}], but the result is {extent}")
    return tuple(out[:count])


def listing(program: Program) -> str:
    """The program's instructions, as a person reads them."""
    from codegen.listing import show_asm

    return show_asm(program)


def ptx(source: str) -> str:
    """The PTX of a draft that compiles."""
    from codegen import front
    from codegen.clang import Options

    return front.compile_unit(source, FILE, None, Options()).ptx
