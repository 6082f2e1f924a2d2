"""Traces of what was run last, recorded by running it again: the machine does the same twice."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.config import Config
from assistant.slash.request import Request
from assistant.slash.running import Ran, run_request
from vgpu.errors import Cancelled, InputError, RunError

if TYPE_CHECKING:
    from assistant.router import Call
    from codegen.catalog import Launch
    from vgpu.program import Program
    from vgpu.runtime import Run

MOST_KEPT = 32 << 20  # bytes of a trace that is kept with a conversation


@dataclass(frozen=True)
class Recorded:
    """One launch's trace. `name` is free within the answer; `data` is JSON lines."""

    name: str
    kernel: str
    passes: int
    words: int
    data: bytes

    @property
    def line(self) -> str:
        records = self.data.count(b"\n")
        return f"{self.kernel}: {self.passes} passes, {self.words} words, {records} records"


def of_request(
    machine: Any, settings: Config, request: Request, cancelled: threading.Event, number: int = 1
) -> Iterator[Recorded]:
    """The trace of a kernel's run, named with `number`. Raises what the run raises."""
    with tempfile.TemporaryDirectory(prefix="vgpu-trace-") as folder:
        path = Path(folder) / "trace.jsonl"
        for step in run_request(machine, settings, request, cancelled, path):
            if isinstance(step, Ran):
                run = step.run
                name = f"{number}-{run.kernel}.jsonl"
                yield Recorded(name, run.kernel, run.passes, run.words, path.read_bytes())


def of_calls(
    machine: Any, settings: Config, calls: Sequence[Call], cancelled: threading.Event
) -> Iterator[Recorded]:
    """The traces of an answer's calls, a launch each. Raises what the runs raise."""
    from codegen import composition

    def progress(_passes: int) -> None:
        if cancelled.is_set():
            raise Cancelled("stopped")

    with tempfile.TemporaryDirectory(prefix="vgpu-trace-") as folder:
        path = Path(folder) / "trace.jsonl"
        recorded: list[Recorded] = []
        plain = composition.launcher(
            machine, max_passes=settings["max_passes"], progress=progress, trace=path
        )

        def traced(program: Program, launch: Launch) -> Run:
            run = plain(program, launch)
            name = f"{len(recorded) + 1}-{run.kernel}.jsonl"
            recorded.append(Recorded(name, run.kernel, run.passes, run.words, path.read_bytes()))
            return run

        for call in calls:
            done = len(recorded)
            composition.evaluate(call.nested(), traced)
            yield from recorded[done:]


def write(path: Path, traces: Sequence[Recorded]) -> list[Path]:
    """One trace to `path`, several to `path` with -1, -2, … Raises InputError, RunError."""
    if path.suffix != ".jsonl":
        raise InputError(f"{path}: expected a name that ends in .jsonl")
    if len(traces) == 1:
        paths = [path]
    else:
        paths = [path.with_stem(f"{path.stem}-{n}") for n in range(1, len(traces) + 1)]
    for each, trace in zip(paths, traces, strict=True):
        try:
            with each.open("xb") as file:
                file.write(trace.data)
        except FileExistsError:
            raise InputError(f"{each}: is there already; give another name") from None
        except OSError as error:
            raise RunError(f"{each}: cannot be written: {error.strerror}") from None
    return paths
