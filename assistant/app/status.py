"""The bottom line: what is loaded, what runs, and the keys that matter."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Status(Static):
    """Left: host, mode and what goes on. Right: keys, as far as they fit."""

    KEYS = ("F1 help", "F2 machine", "^P commands", "^Q leave")

    def __init__(self) -> None:
        super().__init__(id="status")
        self._left = ""

    def say(self, left: str) -> None:
        if left != self._left:
            self._left = left
            self.refresh()

    def render(self) -> Content:
        width = max(self.size.width, 1)
        left = Content(self._left)
        keys = list(self.KEYS)
        while keys and left.cell_length + 2 + len("  ".join(keys)) > width:
            keys.pop()
        right = "  ".join(keys)
        gap = max(1, width - left.cell_length - len(right))
        return Content.assemble(left, " " * gap, (right, "$text-muted"))
