"""Running a request on the machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant import ran
from assistant.config import Config
from assistant.events import Loading
from assistant.launch import pass_budget
from assistant.launch_args import Arguments
from assistant.slash.request import Request
from vgpu.errors import Cancelled

if TYPE_CHECKING:
    from vgpu.program import Program
    from vgpu.runtime import Run


@dataclass(frozen=True)
class Ran:
    """A run that is done. `notes` are lines on what was not as expected."""

    request: Request
    run: Run
    folded: bool
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(ran.lines(self.run))

    @property
    def footing(self) -> str:
        return ran.footing(self.run)

    def record(self) -> dict[str, Any]:
        """For the conversation: the calls and sums of `Answer.record()`, and `run`, the JSON of
        `assistant run --json`; `source` is the CUDA, if it was pasted, `task` what a
        host wrote it for."""
        run = self.run
        figure: Any = next(iter(run.outputs.values())) if len(run.outputs) == 1 else run.outputs
        return {
            "answer": self.text,
            "figures": list(run.outputs.values()),
            "calls": [
                {
                    "call": f"{run.kernel} of {self.request.file}",
                    "kernel": run.kernel,
                    "figure": figure,
                    "problem": None,
                    "passes": run.passes,
                    "words": run.words,
                    "seconds": run.seconds,
                }
            ],
            "verdict": "run",
            "engine": run.engine,
            "passes": run.passes,
            "words": run.words,
            "seconds": run.seconds,
            "run": ran.record(run, self.folded),
            "source": self.request.source,
            "task": self.request.task,
        }


@dataclass(frozen=True)
class Started:
    """The machine begins; `budget` is the most passes it may take."""

    program: Program
    budget: int


def run_request(
    machine: Any,
    settings: Config,
    request: Request,
    cancelled: threading.Event,
    trace: Path | None = None,
) -> Iterator[Loading | Started | Ran]:
    """Compiles and runs; `Started` between, `Ran` last.

    Raises InputError (also `InputsNeeded`), RunError, and Cancelled soon after `cancelled` is set.
    """
    yield Loading(f"compiling {request.file.name}")
    program = request.program(settings)
    given = request.options.launch.arguments(program)
    budget = request.options.max_passes or pass_budget(settings)

    def progress(_passes: int) -> None:
        if cancelled.is_set():
            raise Cancelled("stopped")

    progress(0)
    yield Started(program, budget)
    run = request.options.launch.start(
        machine, program, given, max_passes=budget, trace=trace, progress=progress
    )
    folded = bool(program.stats.get("folded", 0))
    yield Ran(request, run, folded, tuple(_notes(request, program, given, run, folded)))


def _notes(
    request: Request, program: Program, given: Arguments, run: Run, folded: bool
) -> Iterator[str]:
    source = request.text() if request.file.suffix == ".cu" else None
    if source is not None:
        from codegen.front import host_functions

        names = list(dict.fromkeys(host_functions(source)))
        if names:
            listed = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            yield f"note: only the kernel is run; the host part ({listed}) is ignored"
    for param in program.params:
        if param.pointer and param.name not in given.arrays and param.name not in given.outputs:
            yield f"{param.name} was not given: taken as an output of one element"
    if given.arrays and not run.outputs:
        yield "note: nothing is read back; for results add --out NAME=COUNT"
    if folded:
        yield ran.FOLDED
