"""The "readout" router: a small network writes the calls from the host's hidden states.

The host reads the message with its numbers in fixed forms; what is asked, and which number has
which part in it, comes from its hidden states alone (`assistant.reading.reader`). The values are
put in last, so the router cannot know an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from assistant.reading.kept import Fit
from assistant.reading.reader import encoded
from assistant.router import filling
from assistant.router.places import Message
from assistant.router.symbols import Grammar
from assistant.router.turns import TurnRouter, Written

NAME = "readout"


class ReadoutRouter(TurnRouter):
    """Routes one question: one forward pass of the host's lower half, then a few symbols."""

    name = NAME

    def __init__(self, host: Any, fit: Fit, threshold: float) -> None:
        super().__init__(threshold)
        self._host = host
        self._reader, self._adapter, self._calibration = fit.reader, fit.adapter, fit.calibration
        constants = [word for word in fit.reader.vocabulary if word.startswith("=")]
        self._grammars = grammars(constants)

    @torch.inference_mode()
    def write(self, text: str, said: Message, after: bool) -> Written:
        ((states, offsets),) = self._host.read([said.text], self._adapter)
        grammar = self._grammars[after]
        one = encoded([said], states[None], [offsets], self._reader.sizes.kinds)
        row, p = self._reader.write(one, said.places, grammar)
        return Written(grammar.read(row), self._calibration(p) if row else 0.0)


def grammars(constants: Sequence[str]) -> tuple[Grammar, Grammar]:
    """That of a message by itself, and that of one with an earlier figure in front."""
    signatures = filling.signatures()
    return Grammar(signatures, constants), Grammar(signatures, constants, before=True)
