"""A task's attempts, one after the other: write, compile, self-check, run. What failed is told to
the writer of the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.advanced import cases, selfcheck
from assistant.advanced.attempts import Attempt, Bench, Failed
from assistant.advanced.library import Entry
from assistant.advanced.selfcheck import Agreement
from assistant.advanced.task import Task
from assistant.advanced.write import Draft, Order, Writer
from assistant.events import Step


@dataclass(frozen=True)
class Limits:
    """`attempts` in all; `examples` shown to a writer; `temperature` of all but the first two;
    `serial`: one thread does all; `sure`: how likely what a trained writer writes must be right."""

    attempts: int = 6
    examples: int = 3
    temperature: float = 0.6
    seed: int = 1
    serial: bool = False
    sure: float = 0.0


@dataclass
class Trial:
    """What has been tried. `near` are the examples, the nearest first."""

    task: Task
    near: list[Entry]
    limits: Limits
    attempts: list[Attempt] = field(default_factory=list)
    agreed: Agreement | None = None

    def run(
        self, writer: Writer, bench: Bench, cancelled: threading.Event
    ) -> Iterator[tuple[Step, Attempt | None]]:
        """Yields each step of each attempt. Ends with two that agree, or with none left.

        Writers of even and of odd attempts are shown different examples: what both write is not
        merely what both copied. Raises Cancelled, and RunError when the writer fails.
        """
        made = cases.cases(self.task, self.limits.seed)
        while self.agreed is None and len(self.attempts) < self.limits.attempts:
            yield "writing", None
            attempt = self._written(writer, cancelled)
            yield "written", attempt
            started = time.perf_counter()
            try:
                program = bench.compile(attempt, self.task)
                yield "compiled", attempt
                further = cases.more(self.task, self.limits.seed)
                selfcheck.check(attempt, self.task, made, bench, further)
                yield "checked", attempt
                ran = bench.run(program, self.task, attempt.draft.extent, self.task.inputs)
                attempt.figures, attempt.passes, attempt.words = ran.out, ran.passes, ran.words
            except Failed as failed:
                attempt.stage, attempt.problem = failed.stage, failed.problem
            attempt.seconds = time.perf_counter() - started
            self.attempts.append(attempt)
            self.agreed = selfcheck.agreement(self.attempts, self.limits.sure)
            yield "done", attempt

    def _written(self, writer: Writer, cancelled: threading.Event) -> Attempt:
        number = len(self.attempts) + 1
        side, count = (number - 1) % 2, self.limits.examples
        shown = self.near[side::2][:count]
        order = Order(
            self.task, shown, self._failed(side), 0.0 if number <= 2 else self.limits.temperature,
            self.limits.seed * 1000 + number, self.limits.serial, number,
        )  # fmt: skip
        started = time.perf_counter()
        draft = writer.write(order, cancelled)
        seen = tuple(e.name for e in shown) if draft.after_examples else ()
        return Attempt(number, draft, seen, write_seconds=time.perf_counter() - started)

    def _failed(self, side: int) -> tuple[Draft, str] | None:
        """The last draft of a side, if it failed in a way that its writer can mend."""
        mine = self.attempts[side::2]
        last = mine[-1] if mine else None
        if last is None or not last.problem or not last.draft.whole:
            return None
        return last.draft, last.problem

    @property
    def chosen(self) -> Attempt | None:
        """The attempt that is the answer, or would be: the first that another agrees with, else
        the first that passed its checks."""
        if self.agreed is not None:
            return self.agreed.one
        return next((a for a in self.attempts if a.passed), None)
