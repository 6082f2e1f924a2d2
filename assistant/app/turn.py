"""One question and its answer, with a badge that says where the answer comes from."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from assistant.app.answer_text import AnswerText, CopyFence
from assistant.app.attempts_view import AttemptsView
from assistant.app.badge import Badge
from assistant.app.clean import clean, one_line
from assistant.app.figures import marked
from assistant.app.messages import BackToInput, CopyText, EditAgain, OpenRun
from assistant.app.talk import Began, Ended, Failed, Stopped
from assistant.app.turn_record import RunRecord, TurnRecord
from assistant.app.watched import RunBegan, RunEnded, RunGoesOn
from assistant.events import Decided, Done, Figure, Loading, Note, Running, Tried
from assistant.slash import Ran, Said


class Turn(Vertical, can_focus=True):
    """Events of one job become widgets here. Enter opens the run, `c` copies, `b` a block."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_run", "Open the run"),
        Binding("c,y", "copy_answer", "Copy answer"),
        Binding("b", "copy_block", "Copy block"),
        Binding("e", "edit_again", "Ask again"),
        Binding("escape", "leave", "Input", show=False),
    ]

    def __init__(self, record: TurnRecord) -> None:
        super().__init__()
        self.record = record
        self._question = Static(Content(one_block(record.question)), classes="question")
        self._notes = Static(classes="notes")
        self._attempts = AttemptsView()
        self._figures = Static(classes="figures")
        self._text = AnswerText(record.text)
        self._shown = Static(classes="shown")
        self._state = Static(classes="state")
        self._badge = Badge()
        self._block = -1

    def compose(self) -> ComposeResult:
        yield self._question
        yield self._notes
        yield self._attempts
        yield self._figures
        yield self._text
        yield self._shown
        yield self._state
        yield self._badge

    def on_mount(self) -> None:
        self._draw()
        if not self.record.done:
            self._say("waiting")

    def _draw(self) -> None:
        record = self.record
        alone = len(record.figures) == 1 and record.done
        lines = [marked(figure, alone=alone) for figure in record.figures]
        self._figures.update(Content("\n").join(lines))
        self._figures.display = bool(lines)
        self._notes.update(Content("\n".join(map(one_line, record.notes))))
        self._notes.display = bool(record.notes)
        self._attempts.show(record)
        self._text.display = bool(record.text)
        self._shown.update(Content(clean(record.shown)))
        self._shown.display = bool(record.shown)
        if record.problem:
            self._state.update(Content(clean(record.problem)))
            self._state.set_class(record.problem != "stopped", "problem")
        self._state.display = bool(record.problem)
        self._badge.show(record.badge, record.computed)

    def _say(self, what: str) -> None:
        self._state.update(Content(f"… {one_line(what)}"))
        self._state.display = True

    async def add_text(self, text: str) -> None:
        """More of the host's own words."""
        self._state.display = False
        self.record.text += text
        self._text.display = True
        await self._text.piece(text)

    async def take(self, event: Any) -> None:
        """Draws one event of the turn."""
        record = self.record
        match event:
            case Began():
                self._say("reading the question")
            case Loading(what):
                self._say(what)
            case Decided(routed) if routed.verdict == "calls":
                self._say("; ".join(one_line(str(call), 80) for call in routed.calls))
            case Running(call):
                self._say(f"running {one_line(str(call), 80)}")
            case RunBegan() | RunGoesOn() | RunEnded():
                self._take_run(event)
            case Note(text) | Said(text):
                self._add_note(text)
            case Tried():
                record.take_step(event)
                self._attempts.show(record)
                self._say(event.text)
            case Figure(computed) if computed.problem is None:
                record.figures.append(computed.said)
                self._draw()
            case Done(answer):
                record.take_answer(answer)
                await self._finish()
            case Ran():
                record.take_run(event)
                await self._finish()
            case Stopped():
                await self.fail("stopped")
            case Failed():
                await self.fail(event.text)
            case Ended() if not record.done:
                record.done = True
                await self._finish()

    def _take_run(self, event: RunBegan | RunGoesOn | RunEnded) -> None:
        """A launch of this turn begins, goes on or ends."""
        runs = self.record.runs
        match event:
            case RunBegan():
                self.record.drop_checks()
                attempt = self.record.attempts[-1]["number"] if self.record.attempts else 0
                self.record.runs.append(RunRecord(
                    event.program.kernel, event.program, event.trace, event.budget,
                    number=event.number, live=True, attempt=attempt, check=self.record.checking,
                ))  # fmt: skip
            case RunGoesOn(_, passes, seconds) if runs:
                runs[-1].passes, runs[-1].rate = passes, passes / max(seconds, 1e-9)
                self._say(f"{runs[-1].kernel}: {passes:,} passes, {runs[-1].rate:,.0f} a second")
            case RunEnded(number, run, problem):
                if number < 0:
                    self._add_note(problem)
                for mine in runs:
                    if mine.number == number:
                        mine.live = False
                        mine.passes = run.passes if run else mine.passes
                        mine.rate = run.passes / max(run.seconds, 1e-9) if run else mine.rate

    def _add_note(self, text: str) -> None:
        self.record.notes.append(text)
        self._draw()

    async def _finish(self) -> None:
        self._state.display = False
        await self._text.end(self.record.text)
        self._draw()

    async def fail(self, problem: str) -> None:
        self.record.problem, self.record.done = problem, True
        self.record.steps.clear()
        self.record.drop_checks()
        await self._text.end()
        self._draw()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self._badge:
            self.action_open_run()

    def on_copy_fence_copy(self, event: CopyFence.Copy) -> None:
        event.stop()
        self.post_message(CopyText(event.code, "block"))

    def action_open_run(self) -> None:
        self.post_message(OpenRun(self.record))

    def action_copy_answer(self) -> None:
        self.post_message(CopyText(clean(self.record.plain), "answer"))

    def action_copy_block(self) -> None:
        """Each press copies the next block of code."""
        codes = self._text.codes()
        if not codes:
            self.post_message(CopyText("", "block"))
            return
        self._block = (self._block + 1) % len(codes)
        self.post_message(CopyText(codes[self._block], f"block {self._block + 1}"))

    def action_edit_again(self) -> None:
        self.post_message(EditAgain(self.record.question))

    def action_leave(self) -> None:
        self.post_message(BackToInput())


def one_block(question: str, most: int = 12) -> str:
    """A question as it is shown above its answer: long pastes are cut."""
    lines = clean(question).splitlines() or [""]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"… {len(lines) - most + 1:,} more lines"]
    return "\n".join(lines)
