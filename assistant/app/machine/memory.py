"""The machine's memory: 32-bit words, with what the last pass stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from assistant.app.machine.pane import Pane

if TYPE_CHECKING:
    from assistant.app.recording import LaneState, Recording

_CELL = 12


class Memory(Pane):
    """Rows of words from an address on. It follows what is stored, until it is scrolled."""

    TITLE = "memory"

    def __init__(self, id: str = "memory") -> None:
        super().__init__(id)
        self._top = 16
        self._follows = True
        self._columns = 4

    def lines(
        self, recording: Recording, state: LaneState, width: int, height: int
    ) -> list[Content]:
        self._columns = columns = max(1, (width - 7) // _CELL)
        row = 4 * columns
        if self._follows and state.stored:
            first = min(state.stored)
            if not self._top <= first < self._top + row * height:
                self._top = first
        most = max(0, len(state.memory) - row * height)
        self._top = max(0, min(self._top, most)) & ~3
        self.border_title = Content(f"memory · {self._region(recording, self._top)}")
        lines = []
        for at in range(self._top, min(self._top + row * height, len(state.memory)), row):
            parts: list[tuple[str, str]] = [(f"{at:>5}  ", "$text-muted")]
            for address in range(at, min(at + row, len(state.memory)), 4):
                value = int.from_bytes(state.memory[address : address + 4], "little", signed=True)
                stored = address in state.stored
                style = "bold $text-warning" if stored else "" if value else "$text-muted"
                text = f"{value}{'*' if stored else ' '}"
                parts.append((f"{text:>{_CELL - 1}} ", style))
            lines.append(Content.assemble(*parts))
        return lines

    def _region(self, recording: Recording, address: int) -> str:
        """What lies at an address, in the words of the memory map."""
        program = recording.program
        if address < 16:
            return "null"
        if address < 16 + program.param_bytes:
            return "parameters"
        if address < program.shared_base:
            return "static data"
        if address < program.shared_base + program.shared_bytes:
            return "shared"
        return "stacks and arrays"

    def move(self, rows: int) -> None:
        self._follows = False
        self._top += 4 * self._columns * rows
        self.refresh()

    def follow(self) -> None:
        self._follows = True

    def on_mouse_scroll_up(self) -> None:
        self.move(-1)

    def on_mouse_scroll_down(self) -> None:
        self.move(1)
