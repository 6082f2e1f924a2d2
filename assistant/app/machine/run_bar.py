"""Where in the run the panel is: kernel, pass, speed, the bar to scrub, the pass budget."""

from __future__ import annotations

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget


class RunBar(Widget):
    """Three lines. A click or a drag on the second goes to that pass."""

    class Sought(Message):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, id: str = "run-bar") -> None:
        super().__init__(id=id)
        self.title = "no run yet"
        self.number = self.total = self.budget = 0
        self.rate = self.speed = 0.0
        self.left_out = 0
        self.live = self.playing = False
        self._held = False

    def show(
        self, title: str, number: int, total: int, budget: int, rate: float, *,
        live: bool, playing: bool, speed: float, left_out: int = 0,
    ) -> None:  # fmt: skip
        """`left_out`: passes that were run and not recorded, for want of room."""
        self.title, self.number, self.total, self.budget = title, number, total, budget
        self.rate, self.live, self.playing, self.speed = rate, live, playing, speed
        self.left_out = left_out
        self.refresh()

    def render(self) -> Content:
        width = max(self.size.width, 10)
        how = "● live" if self.live else "▶ playing" if self.playing else "‖ paused"
        passes = f"pass {self.number:,} of {self.total:,}"
        passes += f" recorded, {self.left_out:,} left out" if self.left_out else ""
        rate = f"{self.rate:,.0f} passes/s" if self.rate else ""
        played = f"{self.speed:g} a second" if self.playing else ""
        head = "  ".join(part for part in (how, passes, played, rate) if part)
        room = max(0, width - len(head) - 2)
        title = self.title if len(self.title) <= room else self.title[: max(0, room - 1)] + "…"
        first = Content.assemble((title, "bold"), "  ", (head, "$text-muted"))
        lines = [first, self._seek(width)]
        if self.size.height > 2:
            lines.append(self._budget(width))
        return Content("\n").join(lines)

    def _seek(self, width: int) -> Content:
        at = round((width - 1) * self.number / self.total) if self.total else 0
        return Content.assemble(
            ("━" * at, "$accent"), ("┃", "bold $accent"), ("─" * (width - 1 - at), "$text-muted")
        )

    def _budget(self, width: int) -> Content:
        """How much of the pass budget the run has used."""
        ran = self.total + self.left_out
        words = f" {ran:,} of {self.budget:,} passes allowed"
        if not self.budget:
            return Content("")
        room = max(4, width - len(words))
        full = min(room, round(room * ran / self.budget))
        return Content.assemble(
            ("▰" * full, "$warning"), ("▱" * (room - full), "$text-muted"), (words, "$text-muted")
        )

    def _seek_to(self, x: int) -> None:
        width = max(self.size.width - 1, 1)
        share = min(max(x / width, 0.0), 1.0)
        self.post_message(self.Sought(round(share * self.total)))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.y == 1:
            self._held = True
            self.capture_mouse()
            self._seek_to(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held:
            self._seek_to(event.x)

    def on_mouse_up(self) -> None:
        self._held = False
        self.release_mouse()
