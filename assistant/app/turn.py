"""One question and its answer, with a badge that says where the answer comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from assistant.app.answer_text import AnswerText
from assistant.app.badge import Badge
from assistant.app.clean import clean, one_line
from assistant.app.talk import Began, Failed, Stopped
from assistant.app.watched import RunBegan, RunEnded, RunGoesOn
from assistant.events import Decided, Done, Figure, Loading, Note, Running

if TYPE_CHECKING:
    from assistant.answer import Answer

MARK = "◆"  # stands before what the machine computed, and before nothing else


@dataclass
class TurnRecord:
    """What a turn says, without its widget: enough to draw it again."""

    key: str
    question: str
    figures: list[str] = field(default_factory=list)
    text: str = ""
    notes: list[str] = field(default_factory=list)
    badge: str = ""
    computed: bool = False
    problem: str = ""
    runs: list[RunBegan] = field(default_factory=list)
    done: bool = False

    @property
    def plain(self) -> str:
        """The answer as text to copy."""
        return "\n".join(part for part in (*self.figures, self.text, self.problem) if part)


def badge_of(answer: Answer, mode: str) -> tuple[str, bool]:
    """(the badge's words, whether the network computed it)."""
    if answer.routed.verdict == "chat":
        return f"plain chat · {answer.host} · {answer.seconds:.2f} s · not computed", False
    if not answer.computed:
        return f"{mode} · {answer.seconds:.2f} s · nothing computed", False
    calls = "; ".join(one_line(str(c.call), 60) for c in answer.computed)
    passes = sum(c.passes for c in answer.computed)
    where = "by the interpreter" if answer.engine == "interpreter" else "in the network"
    computed = any(c.problem is None for c in answer.computed)
    how = f"computed {where}" if computed else "no figure"
    return f"{mode} · {calls} · {passes:,} passes · {answer.seconds:.2f} s · {how}", computed


class Turn(Vertical, can_focus=True):
    """Events of one job become widgets here. Enter opens the run, `c` copies, `b` a block."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_run", "Open the run"),
        Binding("c,y", "copy_answer", "Copy answer"),
        Binding("b", "copy_block", "Copy block"),
        Binding("e", "edit_again", "Ask again"),
        Binding("escape", "leave", "Input", show=False),
    ]

    class OpenRun(Message):
        def __init__(self, record: TurnRecord) -> None:
            super().__init__()
            self.record = record

    class CopyText(Message):
        def __init__(self, text: str, what: str) -> None:
            super().__init__()
            self.text, self.what = text, what

    class EditAgain(Message):
        def __init__(self, question: str) -> None:
            super().__init__()
            self.question = question

    class Leave(Message):
        pass

    def __init__(self, record: TurnRecord, mode: str = "basic") -> None:
        super().__init__()
        self.record, self.mode = record, mode
        self._question = Static(Content(one_block(record.question)), classes="question")
        self._notes = Static(classes="notes")
        self._figures = Static(classes="figures")
        self._text = AnswerText(record.text)
        self._state = Static(classes="state")
        self._badge = Badge()
        self._block = -1

    def compose(self) -> ComposeResult:
        yield self._question
        yield self._notes
        yield self._figures
        yield self._text
        yield self._state
        yield self._badge

    def on_mount(self) -> None:
        self._draw()
        if not self.record.done:
            self._say("waiting")

    def _draw(self) -> None:
        record = self.record
        lines = [Content.assemble((f"{MARK} ", "$success"), (clean(figure), "bold $text-success"))
                 for figure in record.figures]  # fmt: skip
        self._figures.update(Content("\n").join(lines))
        self._figures.display = bool(lines)
        self._notes.update(Content("\n".join(map(one_line, record.notes))))
        self._notes.display = bool(record.notes)
        self._text.display = bool(record.text)
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
        match event:
            case Began():
                self._say("reading the question")
            case Loading(what) | Note(what) if isinstance(event, Loading):
                self._say(what)
            case Decided(routed) if routed.verdict == "calls":
                self._say("; ".join(one_line(str(call), 80) for call in routed.calls))
            case Running(call):
                self._say(f"running {one_line(str(call), 80)}")
            case RunBegan():
                self.record.runs.append(event)
            case RunGoesOn(_, passes, seconds):
                self._say(f"{passes:,} passes · {passes / max(seconds, 1e-9):,.0f} a second")
            case RunEnded(_, _, problem) if event.number < 0:
                self._add_note(problem)
            case Note(text):
                self._add_note(text)
            case Figure(computed):
                self.record.figures.append(computed.said) if not computed.problem else (
                    self._add_note(computed.said)
                )
                self._draw()
            case Done(answer):
                await self._finish(answer)
            case Stopped():
                await self.fail("stopped")
            case Failed(text, where):
                await self.fail(f"{':'.join(map(str, where))}: {text}" if where else text)

    def _add_note(self, text: str) -> None:
        self.record.notes.append(text)
        self._draw()

    async def _finish(self, answer: Answer) -> None:
        record = self.record
        record.badge, record.computed = badge_of(answer, self.mode)
        record.figures = [c.said for c in answer.computed if c.problem is None]
        record.text = answer.text if not answer.computed else record.text
        record.done = True
        await self._text.end(record.text)
        self._draw()

    async def fail(self, problem: str) -> None:
        self.record.problem, self.record.done = problem, True
        await self._text.end()
        self._draw()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self._badge:
            self.action_open_run()

    def on_copy_fence_copy(self, event: Any) -> None:
        event.stop()
        self.post_message(self.CopyText(event.code, "block"))

    def action_open_run(self) -> None:
        self.post_message(self.OpenRun(self.record))

    def action_copy_answer(self) -> None:
        self.post_message(self.CopyText(clean(self.record.plain), "answer"))

    def action_copy_block(self) -> None:
        """Each press copies the next block of code."""
        codes = self._text.codes()
        if not codes:
            self.post_message(self.CopyText("", "block"))
            return
        self._block = (self._block + 1) % len(codes)
        self.post_message(self.CopyText(codes[self._block], f"block {self._block + 1}"))

    def action_edit_again(self) -> None:
        self.post_message(self.EditAgain(self.record.question))

    def action_leave(self) -> None:
        self.post_message(self.Leave())


def one_block(question: str, most: int = 12) -> str:
    """A question as it is shown above its answer: long pastes are cut."""
    lines = clean(question).splitlines() or [""]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"… {len(lines) - most + 1:,} more lines"]
    return "\n".join(lines)
