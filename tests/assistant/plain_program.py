"""`assistant` with a host that is no model: for tests that need a process and a terminal.

"slow" counts for ever, "attack" writes escape sequences, all else is echoed as Python spells it.
"""

from __future__ import annotations

import itertools
import sys
import time
from functools import cached_property
from typing import Any

import assistant.answer
from assistant.answer import Answer
from assistant.cli import main
from assistant.events import Done, Loading, Text
from assistant.router import Routed

ATTACK = "\x1b]0;owned\x07\x1b[2Jcleared"


class Echo:
    """Stands for `Assistant`."""

    def __init__(self, settings: Any) -> None:
        self.config = settings

    @cached_property
    def machine(self) -> Any:
        import vgpu

        return vgpu.Machine(engine="interpreter")

    def stream(self, question: str, cancelled: Any, **_leans: Any) -> Any:
        yield Loading("loading Echo")
        said = []
        for piece in self._pieces(question):
            said.append(piece)
            yield Text(piece)
        routed = Routed("chat", (), "echo", 1.0)
        yield Done(Answer(question, routed, (), "".join(said), "Echo", "interpreter"))

    def _pieces(self, question: str) -> Any:
        if question == "slow":
            for number in itertools.count():
                yield f"word {number} "
                time.sleep(0.01)
        elif question == "attack":
            yield from ATTACK  # a character a piece
        else:
            yield "you said "
            yield repr(question)


if __name__ == "__main__":
    assistant.answer.Assistant = Echo  # type: ignore[misc, assignment]
    sys.exit(main(sys.argv[1:]))
