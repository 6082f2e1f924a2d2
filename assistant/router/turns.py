"""What every router does with a message, whichever way it writes the calls for it.

A message is read by itself; one that leans on an earlier figure is read once more with that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.router import filling
from assistant.router.calls import FOLLOW, Expression, Name
from assistant.router.places import Message
from assistant.router.routed import Before, Routed

MOST_CHARACTERS = 20_000


@dataclass(frozen=True)
class Written:
    """What a router wrote, and how sure it is, 0 to 1; `problem` where that is no list of calls."""

    answers: tuple[Expression, ...]
    confidence: float
    problem: str = ""


class TurnRouter(ABC):
    """A router that says how it writes calls; the rest is here."""

    name: str
    most_characters = MOST_CHARACTERS

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    @abstractmethod
    def write(self, text: str, said: Message, after: bool) -> Written:
        """The calls for a message, which is `text` as it was typed and `said` as it is read.
        `after`: an earlier figure stands in front of it."""

    def route(self, question: str, before: Before | None = None) -> Routed:
        """With `before`, a message that leans on an earlier figure is read once more with it."""
        routed, answers = self._read(question, None)
        if tuple(answers) != (Name(FOLLOW),) or before is None:
            return routed
        together = before.put_before(question)
        return self._read(together, before, len(together) - len(question))[0]

    def _read(
        self, text: str, before: Before | None, skipped: int = 0
    ) -> tuple[Routed, Sequence[Expression]]:
        said = filling.asked(text, self.name, self.most_characters)
        if isinstance(said, Routed):
            return said, ()
        written = self.write(text, said, before is not None)
        if written.problem:
            return Routed("unsure", (), self.name, written.confidence, written.problem), ()
        routed = filling.filled(
            written.answers, said, before, router=self.name, confidence=written.confidence,
            threshold=self._threshold, skipped=skipped,
        )  # fmt: skip
        return routed, written.answers
