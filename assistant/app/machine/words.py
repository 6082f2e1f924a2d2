"""The words that the last pass gave: what went out of the network is what goes in next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from assistant.app.machine.pane import Pane

if TYPE_CHECKING:
    from assistant.app.recording import LaneState, Recording


class Words(Pane):
    """One row a lane: the word in hexadecimal, and the register write that it carries."""

    TITLE = "words of this pass"

    def __init__(self, id: str = "words") -> None:
        super().__init__(id)
        self._first = 0

    def lines(
        self, recording: Recording, state: LaneState, width: int, height: int
    ) -> list[Content]:
        from vgpu.word import layout

        names = layout(recording.geometry)
        bits = names.bits
        self.border_title = Content(f"words of this pass · {bits} bits each")
        self._first = max(0, min(self._first, len(state.words) - height))
        rows = []
        shown = list(enumerate(state.words))[self._first : self._first + height]
        for lane, text in shown:
            word = int(text, 16)
            at = names.offsets
            wrote = word >> at["we"] & 1
            register = word >> at["rd"] & (recording.geometry.registers - 1)
            value = word >> at["value"] & 0xFFFFFFFF
            told = f"  r{register} = {value}" if wrote else ""
            rows.append(
                Content.assemble((f"{lane:>4} ", "$text-muted"), text, (told, "$text-accent"))
            )
        return rows

    def on_mouse_scroll_up(self) -> None:
        self._first -= 1
        self.refresh()

    def on_mouse_scroll_down(self) -> None:
        self._first += 1
        self.refresh()
