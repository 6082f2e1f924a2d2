"""Advanced mode: from a message to a figure by a program that the host writes.

Figures come from the machine alone, and only from a program that passed its checks and that a
second one, written apart from it, agrees with.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assistant.advanced import arguments, saved, selfcheck
from assistant.advanced.answer import AdvancedAnswer
from assistant.advanced.attempts import Attempt, Bench, Failed
from assistant.advanced.cases import cases
from assistant.advanced.library import Entry
from assistant.advanced.retrieve import Examples, examples
from assistant.advanced.task import Task, read_task
from assistant.advanced.trial import Limits, Trial
from assistant.advanced.write import Draft, Writer
from assistant.advanced.writers import writer_for
from assistant.config import Config
from assistant.events import Done, Event, Loading, Note, Step, Tried
from vgpu.errors import Cancelled, InputError

if TYPE_CHECKING:
    from vgpu import Machine


class AdvancedMode:
    """Writer, machine and examples, each made at its first use and kept.

    `host` gives the language model when the first program is to be written; without it, the one
    of the settings is opened."""

    def __init__(
        self,
        config: Config,
        *,
        host: Callable[[], Any] | None = None,
        writer: Writer | None = None,
        machine: Machine | None = None,
        entries: Sequence[Entry] | None = None,
        seed: int | None = None,
    ) -> None:
        self.config = config
        self.limits = Limits(
            config["advanced.attempts"], config["advanced.examples"],
            config["advanced.temperature"],
            config["advanced.seed"] if seed is None else seed,
            config["advanced.threads"] == "one", config["advanced.threshold"],
        )  # fmt: skip
        self._given: dict[str, Any] = {"writer": writer, "machine": machine, "entries": entries}
        self._host = host

    @cached_property
    def writer(self) -> Writer:
        from assistant.hosts import open_host

        if self._given["writer"] is not None:
            return self._given["writer"]  # type: ignore[no-any-return]
        host = open_host(self.config) if self._host is None else self._host()
        return writer_for(self.config, host)

    @cached_property
    def machine(self) -> Any:
        import vgpu

        return self._given["machine"] or vgpu.Machine(engine=self.config["engine"])

    @cached_property
    def _examples(self) -> Examples:
        entries = self._given["entries"]
        return examples() if entries is None else Examples(entries)

    def answer(self, question: str | Task) -> AdvancedAnswer:
        """What `stream` ends with. Raises what it raises."""
        for event in self.stream(question):
            if isinstance(event, Done) and isinstance(event.answer, AdvancedAnswer):
                return event.answer
        raise AssertionError("a turn ends with Done")

    def stream(
        self, question: str | Task, cancelled: threading.Event | None = None
    ) -> Iterator[Event]:
        """What happens while a program is written and run, `Done` last.

        Raises InputError when the message has no data, Cancelled soon after `cancelled` is set,
        RunError when the host or the machine fails. `seconds` of the answer counts from the
        moment that everything is loaded.
        """
        stop = cancelled or threading.Event()
        kept = saved.named_in(question) if isinstance(question, str) else None
        if kept is not None and isinstance(question, str):
            yield from self._call(kept, question, stop)
            return
        task = question if isinstance(question, Task) else self._task(question)
        yield Loading(f"loading {self.writer.label}")
        self.writer.load()
        bench = Bench(self.machine, self.config["advanced.max_passes"], stop.is_set)
        started = time.perf_counter()
        yield Note(f"task: {task.signature.name}({task.data})")
        trial = Trial(task, self._examples.nearest(task, serial=self.limits.serial), self.limits)
        for step, attempt in trial.run(self.writer, bench, stop):
            yield self._tried(step, attempt, len(trial.attempts) + 1)
            if stop.is_set():
                raise Cancelled("stopped")
        yield Done(self._answer(trial, time.perf_counter() - started))

    def _call(self, kept: saved.Saved, question: str, stop: threading.Event) -> Iterator[Event]:
        """Runs a kernel that was kept, on the data of the message; the host writes nothing."""
        task = arguments.task_of(kept, question)
        yield Note(f"kept kernel: {kept.name}({task.data})")
        bench = Bench(self.machine, self.config["max_passes"], stop.is_set)
        started = time.perf_counter()
        attempt = Attempt(1, Draft(kept.source, kept.extent, kept.order_free))
        try:
            ran = bench.run(bench.compile(attempt, task), task, kept.extent, task.inputs)
            attempt.figures, attempt.passes, attempt.words = ran.out, ran.passes, ran.words
        except Failed as failed:
            attempt.stage, attempt.problem = failed.stage, failed.problem
        attempt.seconds = time.perf_counter() - started
        yield Done(AdvancedAnswer(
            question, task, (attempt,), attempt, _figure(attempt), attempt.problem,
            "", self.config["engine"], attempt.seconds, kept=kept.name,
        ))  # fmt: skip

    def _tried(self, step: Step, attempt: Attempt | None, number: int) -> Tried:
        if attempt is None:
            return Tried(step, number, f"attempt {number}: {self.writer.label} writes a kernel", {})
        return Tried(step, attempt.number, _line(step, attempt), attempt.record())

    def _task(self, question: str) -> Task:
        try:
            question.encode()
        except UnicodeEncodeError:
            raise InputError("the question is not valid UTF-8 text: type it again") from None
        return read_task(question)

    def _answer(self, trial: Trial, seconds: float) -> AdvancedAnswer:
        chosen = trial.chosen or (trial.attempts[-1] if trial.attempts else None)
        figure: int | list[int] | None = None
        if trial.agreed is not None and chosen is not None:
            figure = _figure(chosen)
        return AdvancedAnswer(
            trial.task.question, trial.task, tuple(trial.attempts), chosen, figure,
            "" if figure is not None else _doubt(trial), self.writer.label,
            self.config["engine"], seconds,
        )  # fmt: skip


def _figure(attempt: Attempt) -> int | list[int] | None:
    if attempt.figures is None:
        return None
    return attempt.figures[0] if attempt.draft.extent.single else list(attempt.figures)


def _line(step: Step, attempt: Attempt) -> str:
    """A step of an attempt in a line for a person."""
    name = f"attempt {attempt.number}"
    if step == "written":
        lines = attempt.draft.source.rstrip().count("\n") + 1
        return f"{name}: kernel written, {lines} lines ({attempt.write_seconds:.1f} s)"
    if step == "compiled" and attempt.program is not None:
        return f"{name}: compiled, {len(attempt.program.code)} instructions"
    if step == "checked":
        return f"{name}: passed its checks on {len(attempt.checked)} made-up inputs"
    took = f"({attempt.seconds:.1f} s)"
    if attempt.problem:
        return f"{name}: {attempt.stage}: {attempt.problem} {took}"
    return f"{name}: ran on the data, {attempt.passes:,} passes {took}"


def _doubt(trial: Trial) -> str:
    """Why there is no figure, in a line for a person."""
    passed = [a for a in trial.attempts if a.passed]
    if len(passed) > 1:
        made = cases(trial.task, trial.limits.seed)
        differ = selfcheck.disagreement(trial.attempts, made)
        if not differ and not passed[0].draft.after_examples:
            sure = selfcheck.likely(passed[0], passed)
            return f"{len(passed)} programs agree, but are likely right at {sure:.0%} only"
        return differ or (
            "the programs that passed were written after the same examples; none confirms them"
        )
    if passed:
        return f"only program {passed[0].number} passed, and no second one confirms it"
    last = trial.attempts[-1].problem if trial.attempts else "no attempt was allowed"
    count = len(trial.attempts)
    return f"{count} attempt{'s' if count != 1 else ''} failed, the last because {last}"
