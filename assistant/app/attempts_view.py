"""Advanced mode in a turn: a line for each attempt, and the kernel that is looked at."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from assistant.app.annotated import annotated
from assistant.app.clean import clean, one_line
from assistant.app.turn_record import TurnRecord
from assistant.slash import attempts

MOST_LINES = 24  # of a kernel; the kernel screen shows all of it
_MOST = 160  # characters of an attempt's line


class AttemptsView(Vertical):
    """Drawn anew at each step; not there where nothing was written."""

    def __init__(self) -> None:
        super().__init__(classes="attempts")
        self._lines = Static(classes="tried")
        self._kernel = Static(classes="kernel")

    def compose(self) -> ComposeResult:
        yield self._lines
        yield self._kernel

    def show(self, record: TurnRecord) -> None:
        self.display = bool(record.attempts)
        if not record.attempts:
            return
        self._lines.update(Content("\n").join([_line(record, a) for a in record.attempts]))
        shown = record.looked_at
        problem = str(shown.get("problem") or "")
        told = [p for p in attempts.problems(problem) if p[0]]
        self._kernel.update(annotated(clean(str(shown.get("cuda", ""))), told, MOST_LINES))


def _line(record: TurnRecord, attempt: attempts.Record) -> Content:
    number = attempt.get("number")
    if number in record.steps:
        return Content(f"… {one_line(record.steps[number], _MOST)}")
    text = one_line(attempts.line(attempt), _MOST)
    if attempt.get("problem"):
        return Content.assemble(("✗ ", "$text-error"), text)
    mark = ("✓ ", "$text-success") if attempt.get("passed") else "· "
    mine = " · the answer's" if record.figures and number == record.chosen else ""
    return Content.assemble(mark, text + mine)
