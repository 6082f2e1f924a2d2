"""The line under an answer that says how it came about."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from assistant.app.figures import MARK


class Badge(Static):
    """Words and a colour; the words say all that the colour says."""

    def show(self, words: str, computed: bool) -> None:
        """Draws the badge; without words it is not there."""
        self.display = bool(words)
        self.set_class(computed, "computed")
        mark = f"{MARK} " if computed else ""
        self.update(Content(f"{mark}{words}"))
