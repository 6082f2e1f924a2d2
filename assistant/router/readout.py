"""The "readout" router: a small network writes the calls from the host's hidden states.

The host reads the message with its numbers in fixed forms; what is asked, and which number has
which part in it, comes from its hidden states alone (`assistant.router.reader`). The values are
put in last, so the router cannot know an answer.
"""

from __future__ import annotations

from typing import Any

import torch

from assistant.router import filling
from assistant.router.calls import FOLLOW, Name
from assistant.router.kept import Fit
from assistant.router.places import Message
from assistant.router.reader import encoded
from assistant.router.routed import Before, Routed
from assistant.router.symbols import Grammar

NAME = "readout"


class ReadoutRouter:
    """Routes one question: one forward pass of the host's lower half, then a few symbols."""

    def __init__(self, host: Any, fit: Fit, threshold: float) -> None:
        self._host, self._threshold = host, threshold
        self._reader, self._adapter, self._calibration = fit.reader, fit.adapter, fit.calibration
        constants = [word for word in fit.reader.vocabulary if word.startswith("=")]
        signatures = filling.signatures()
        self._grammar = Grammar(signatures, constants)
        self._grammar_after = Grammar(signatures, constants, before=True)

    def route(self, question: str, before: Before | None = None) -> Routed:
        """With `before`, a message that leans on an earlier figure is read once more with it."""
        routed, leans = self._read(question, None)
        if not leans or before is None:
            return routed
        together = before.put_before(question)
        return self._read(together, before, len(together) - len(question))[0]

    def _read(self, text: str, before: Before | None, skipped: int = 0) -> tuple[Routed, bool]:
        """The verdict, and whether the message leans on an earlier figure."""
        said = filling.asked(text, NAME)
        if isinstance(said, Routed):
            return said, False
        answers, confidence = self._write(said, self._grammar_after if before else self._grammar)
        routed = filling.filled(
            answers, said, before, router=NAME, confidence=confidence,
            threshold=self._threshold, skipped=skipped,
        )  # fmt: skip
        return routed, answers == (Name(FOLLOW),)

    @torch.inference_mode()
    def _write(self, said: Message, grammar: Grammar) -> tuple[tuple[Any, ...], float]:
        ((states, offsets),) = self._host.read([said.text], self._adapter)
        row, confidence = self._reader.write(encoded(said, states, offsets), said.places, grammar)
        return grammar.read(row), self._calibration(confidence) if row else 0.0
