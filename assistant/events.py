"""What happens while a message is answered, in order: the front ends draw these, nothing else.

`Assistant.stream` yields them; the last is always `Done` unless an error is raised. Setting the
`threading.Event` that was given to it ends the turn at the next step with `vgpu.errors.Cancelled`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from assistant.advanced.answer import AdvancedAnswer
    from assistant.answer import Answer, Computed
    from assistant.router import Call, Routed

# An attempt's: the host writes; it has; the compiler took it; it passed its checks; all is done,
# whatever came of it.
Step = Literal["writing", "written", "compiled", "checked", "done"]


@dataclass(frozen=True)
class Loading:
    """Something slow has begun before the answer could: "loading SmolLM2-135M-Instruct"."""

    what: str


@dataclass(frozen=True)
class Decided:
    """The router has read the message."""

    routed: Routed


@dataclass(frozen=True)
class Running:
    """The machine begins a call."""

    call: Call


@dataclass(frozen=True)
class Figure:
    """A call is done; its figure, or why there is none."""

    computed: Computed


@dataclass(frozen=True)
class Text:
    """A piece of the host's own words. Numbers in them were not computed."""

    piece: str


@dataclass(frozen=True)
class Note:
    """A line on what is being done."""

    text: str


@dataclass(frozen=True)
class Tried:
    """Attempt `number` of advanced mode has come a step on; `text` is the step in a line for a
    person, `record` the attempt as it is by then (`Attempt.record`), empty before it is written."""

    step: Step
    number: int
    text: str
    record: Mapping[str, Any]


@dataclass(frozen=True)
class Done:
    answer: Answer | AdvancedAnswer


Event = Loading | Decided | Running | Figure | Text | Note | Tried | Done
