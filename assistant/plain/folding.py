"""Long pastes stand as one mark in the line that is edited, and are whole when it is sent."""

from __future__ import annotations

from typing import Final

MOST_LINES: Final = 12
MOST_CHARACTERS: Final = 2_000


class Folds:
    """The pastes of a session, by their marks."""

    def __init__(self) -> None:
        self._pasted: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """`text`, or the mark that stands for it: `[pasted 5,000 lines]`."""
        lines = text.count("\n") + 1
        if lines <= MOST_LINES and len(text) <= MOST_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > MOST_LINES else f"{len(text):,} characters"
        mark, number = f"[pasted {size}]", 1
        while self._pasted.get(mark, text) != text:
            number += 1
            mark = f"[pasted {size}, {number}]"
        self._pasted[mark] = text
        return mark

    def unfold(self, text: str) -> str:
        """What was meant by a line that was sent."""
        for mark, pasted in self._pasted.items():
            text = text.replace(mark, pasted)
        return text
