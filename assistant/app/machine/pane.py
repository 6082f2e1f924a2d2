"""A part of the panel that draws one state of the lanes in the room that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from assistant.app.clean import one_line

if TYPE_CHECKING:
    from assistant.app.recording import LaneState, Recording


class Pane(Widget):
    """`lines` is what a subclass writes; text is never read as markup."""

    ALLOW_SELECT = True
    TITLE = ""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.recording: Recording | None = None
        self.state: LaneState | None = None

    def on_mount(self) -> None:
        self.border_title = Content(self.TITLE)

    def show(self, recording: Recording | None, state: LaneState | None) -> None:
        """Draws this state from now on. States are drawn before they change."""
        self.recording, self.state = recording, state
        self.refresh()

    def lines(
        self, recording: Recording, state: LaneState, width: int, height: int
    ) -> list[Content]:
        raise AssertionError("a pane has lines")

    def render(self) -> Content:
        if self.recording is None or self.state is None:
            return Content("")
        width, height = self.size
        lines = self.lines(self.recording, self.state, max(width, 1), max(height, 1))
        return Content("\n").join(line.truncate(max(width, 1)) for line in lines[:height])


def lane_ranges(lanes: list[int]) -> str:
    """`0-3,7` of [0, 1, 2, 3, 7]."""
    parts: list[tuple[int, int]] = []
    for lane in lanes:
        if parts and lane == parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], lane)
        else:
            parts.append((lane, lane))
    return one_line(",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts))
