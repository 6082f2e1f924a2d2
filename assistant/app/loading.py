"""The line that shows how far the opening of host and machine is, and how long it will take."""

from __future__ import annotations

import re
import time

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from assistant.app.clean import one_line

_COUNTED = re.compile(r"^(?P<label>.*?): (?P<done>\d+)(?: / (?P<total>\d+))?(?: (?P<name>.*))?$")
_BAR = 20


class LoadingLine(Static):
    """Steps told by the worker, and lines of progress that the libraries print."""

    class Took(Message):
        """Opening is done, after that many seconds."""

        def __init__(self, seconds: float) -> None:
            super().__init__()
            self.seconds = seconds

    def __init__(self) -> None:
        super().__init__(id="loading")
        self._what = ""
        self._began = time.monotonic()
        self._step_began = self._began
        self._done, self._total = 0, 0
        self._expected = 0.0
        self.open = False

    def on_mount(self) -> None:
        self.set_interval(0.25, self._tick)

    def expect(self, seconds: float) -> None:
        """How long the last opening took: an estimate for this one."""
        self._expected = seconds

    def step(self, what: str) -> None:
        """The next step begins."""
        if not self.open:
            self._began = time.monotonic()
        self.open, self._what = True, one_line(what, 120)
        self._done = self._total = 0
        self._step_began = time.monotonic()
        self.display = True
        self._draw()

    def printed(self, text: str) -> None:
        """A line that a library printed: `label: done / total name`, or a note."""
        for line in re.split(r"[\r\n]", text):
            line = one_line(line, 120)
            if not line or not self.open:
                continue
            counted = _COUNTED.match(line)
            if counted and counted["total"]:
                self._what = f"{counted['label']} {counted['name'] or ''}".strip()
                self._done, self._total = int(counted["done"]), int(counted["total"])
            else:
                self._what, self._done, self._total = line, 0, 0
        self._draw()

    def done(self, seconds: float) -> None:
        self.open = self.display = False
        self.post_message(self.Took(seconds))

    def failed(self, text: str) -> None:
        self.open = False
        self.display = True
        self.update(Content.assemble(("could not open: ", "$text-error"), one_line(text, 400)))

    def stopped(self) -> None:
        """The person stopped it; the next question begins again, with all that was fetched."""
        self.open = False
        self.display = True
        self.update("stopped; what is there is kept: the next question goes on with it")

    def _tick(self) -> None:
        if self.open:
            self._draw()

    def _draw(self) -> None:
        if self.open:
            self.update(Content(self.words()))

    def words(self) -> str:
        """`▕████░░▏ loading Host · 12 s, about 5 s left`."""
        now = time.monotonic()
        spent = now - self._began
        share, left = self._share(now, spent)
        filled = round(share * _BAR)
        bar = "█" * filled + "░" * (_BAR - filled)
        told = f", about {left:,.0f} s left" if left is not None else ""
        return f"▕{bar}▏ {self._what} · {spent:,.0f} s{told}"

    def _share(self, now: float, spent: float) -> tuple[float, float | None]:
        """How much is done, 0 to 1, and the seconds that are left, where it can be told."""
        if self._total:
            share = min(self._done / self._total, 1.0)
            step = now - self._step_began
            return share, step / share - step if share > 0.02 else None
        if self._expected:
            return min(spent / self._expected, 0.97), max(self._expected - spent, 1.0)
        return spent / (spent + 20), None
