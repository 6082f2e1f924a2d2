"""A map of the machine's layers, lit by what the pass executes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from assistant.app.machine import activity
from assistant.app.machine.pane import Pane

if TYPE_CHECKING:
    from assistant.app.recording import LaneState, Recording

_SHADES = " ░▒▓█"  # tell the activity without colours


class Layers(Pane):
    """One cell a layer: its number, and how many of its neurons the lanes' instructions light,
    against the instruction that lights most (measured on the network, instruction by instruction).
    """

    TITLE = "layers lit by this pass"

    def __init__(self, id: str = "layers") -> None:
        super().__init__(id)

    def ops(self, recording: Recording, state: LaneState) -> list[str | None]:
        """What each lane executed in the pass."""
        found: list[str | None] = []
        for pc in state.executed:
            i = recording.code[pc] if 0 <= pc < len(recording.code) else None
            found.append(i.op if i is not None else None)
        return found

    def lines(
        self, recording: Recording, state: LaneState, width: int, height: int
    ) -> list[Content]:
        shares = activity.of_pass(self.ops(recording, state))
        cell = max(4, width // max(len(shares), 1))
        numbers: list[tuple[str, str]] = []
        bars: list[tuple[str, str]] = []
        for index, share in enumerate(shares):
            percent = f"{100 * share:.0f}%"
            numbers.append((f"{index} {percent}"[: cell - 1].ljust(cell), "$text-muted"))
            style = "$accent" if share > 0.66 else "$primary" if share > 0.33 else "$primary 60%"
            bars.append((_bar(share, cell - 1) + " ", style))
        return [Content.assemble(*numbers), Content.assemble(*bars)]


def _bar(share: float, width: int) -> str:
    """`██▒ `: full cells, and a shade for the rest."""
    cells = share * width
    full = min(int(cells), width)
    if full == width:
        return "█" * width
    rest = _SHADES[round((cells - full) * (len(_SHADES) - 1))]
    return ("█" * full + rest).ljust(width)
