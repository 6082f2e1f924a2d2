"""A machine whose runs can be watched: each leaves a trace and tells how far it is."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vgpu.errors import RunError, VgpuError

if TYPE_CHECKING:
    from vgpu.program import Program
    from vgpu.runtime import Run

_TOLD_EVERY = 0.05  # seconds between two reports of progress
MOST_TRACE = 128 << 20  # bytes of a run's trace: what comes later is left out
MOST_TRACES = 512 << 20  # bytes of all traces: the oldest are thrown away


@dataclass(frozen=True)
class RunBegan:
    """A launch begins. `trace` is None when none can be written."""

    number: int
    program: Program
    budget: int
    trace: Path | None


@dataclass(frozen=True)
class RunGoesOn:
    number: int
    passes: int
    seconds: float


@dataclass(frozen=True)
class RunEnded:
    """`run` is None when it failed or was stopped; `problem` says why."""

    number: int
    run: Run | None
    problem: str = ""


class Watched:
    """Stands for a `vgpu.Machine`, which is made at its first use.

    `publish` is called, from the thread that runs, with the events above. Traces go to
    `folder`; when one cannot be written the run goes on without.
    """

    def __init__(
        self, make: Callable[[], Any], folder: Path, publish: Callable[[Any], None]
    ) -> None:
        self._make, self._folder, self._publish = make, folder, publish
        self._machine: Any = None
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._finished: list[tuple[str, Path]] = []

    @property
    def machine(self) -> Any:
        with self._lock:
            if self._machine is None:
                self._machine = self._make()
        return self._machine

    def take_finished(self) -> list[tuple[str, Path]]:
        """(kernel, trace) of the runs that were done since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def __getattr__(self, name: str) -> Any:
        return getattr(self.machine, name)

    def run(
        self,
        program: Program,
        inputs: Mapping[str, Any],
        outputs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Run:
        """As `Machine.run`. A run whose trace somebody else asked for is theirs to watch."""
        if options.get("trace") is not None:
            run: Run = self.machine.run(program, inputs, outputs, **options)
            return run
        options.pop("trace", None)
        trace = self._place()
        try:
            return self._run(program, inputs, outputs, trace, **options)
        except RunError as error:
            if trace is None or "the trace" not in str(error):
                raise
            self._publish(RunEnded(-1, None, f"{error}; going on without it"))
            trace.unlink(missing_ok=True)
            return self._run(program, inputs, outputs, None, **options)

    def _place(self) -> Path | None:
        """A new file's path in the folder of traces."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room()
        except OSError:
            return None
        return self._folder / f"{time.time_ns():x}.jsonl"

    def _make_room(self) -> None:
        """The newest traces stay, as far as they may all together with one more."""
        sizes = [(path, path.stat().st_size) for path in sorted(self._folder.glob("*.jsonl"))]
        kept = sum(size for _, size in sizes)
        for path, size in sizes:
            if kept <= MOST_TRACES - MOST_TRACE:
                break
            path.unlink()
            kept -= size

    def _run(
        self,
        program: Program,
        inputs: Mapping[str, Any],
        outputs: Mapping[str, Any] | None,
        trace: Path | None,
        **options: Any,
    ) -> Run:
        from vgpu.runtime import MAX_PASSES

        machine, number = self.machine, next(self._numbers)
        asked = options.pop("progress", None)
        began = last = time.perf_counter()

        def progress(passes: int) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last >= _TOLD_EVERY:
                last = now
                self._publish(RunGoesOn(number, passes, now - began))
            if asked is not None:
                asked(passes)

        budget = options.get("max_passes", MAX_PASSES)
        self._publish(RunBegan(number, program, budget, trace))
        try:
            run: Run = machine.run(
                program, inputs, outputs, trace=trace, trace_bytes=MOST_TRACE, progress=progress,
                **options,
            )  # fmt: skip
        except VgpuError as error:
            self._publish(RunEnded(number, None, str(error)))
            raise
        self._publish(RunEnded(number, run))
        if trace is not None:
            self._finished.append((run.kernel, trace))
        return run
