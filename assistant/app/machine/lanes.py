"""Lanes side by side: program counter, predicates and registers, with what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from assistant.app.machine.pane import Pane
from vgpu import isa

if TYPE_CHECKING:
    from assistant.app.recording import LaneState, Recording

_HEAD, _CELL = 6, 11


class Lanes(Pane):
    """One column a lane, one row a register that the program uses. What the pass wrote is
    highlighted and marked with `*`, so that it shows without colours too."""

    TITLE = "lanes"

    def __init__(self, id: str = "lanes") -> None:
        super().__init__(id)
        self.first_lane = self._first_row = 0
        self.hexadecimal = False
        self._held = False  # the person chose the rows, for the state that is shown

    def used(self, recording: Recording) -> list[int]:
        """Registers that the program writes."""
        found = {i.rd for i in recording.code if i and isa.OPS[i.op].writes_register}
        return sorted(found)

    def lines(
        self, recording: Recording, state: LaneState, width: int, height: int
    ) -> list[Content]:
        columns = max(1, (width - _HEAD) // _CELL)
        total = len(state.pc)
        self.first_lane = max(0, min(self.first_lane, total - columns))
        lanes = range(self.first_lane, min(self.first_lane + columns, total))
        shown = f"{total} lane" + "s" * (total > 1)
        if total > columns:
            shown = f"lanes {lanes[0]}-{lanes[-1]} of {total}"
        base = "hex" if self.hexadecimal else "decimal"
        self.border_title = Content(f"{shown} · registers, {base}")
        heads = [("lane", [self._lane_name(state, lane) for lane in lanes]),
                 ("pc", [(f"{state.pc[lane]} ", "") for lane in lanes]),
                 ("preds", [self._predicates(state, lane) for lane in lanes])]  # fmt: skip
        registers = self.used(recording)
        room = max(0, height - len(heads))
        self._reveal(registers, sorted({r for _, r in state.changed}), room)
        body = [
            (f"r{r}", [self._register(state, lane, r) for lane in lanes])
            for r in registers[self._first_row : self._first_row + room]
        ]
        return [self._row(head, cells) for head, cells in (*heads, *body)]

    def _reveal(self, registers: list[int], changed: list[int], room: int) -> None:
        """Keeps what the pass wrote in view."""
        rows = [registers.index(r) for r in changed if r in registers]
        if rows and not self._held:
            if min(rows) < self._first_row:
                self._first_row = min(rows)
            elif max(rows) >= self._first_row + room:
                self._first_row = max(rows) - room + 1
        self._first_row = max(0, min(self._first_row, len(registers) - room))

    def _row(self, head: str, cells: list[tuple[str, str]]) -> Content:
        parts = [(f"{head:<{_HEAD}}", "$text-muted")]
        parts += [(f"{text:>{_CELL - 1}} ", style) for text, style in cells]
        return Content.assemble(*parts)

    def _lane_name(self, state: LaneState, lane: int) -> tuple[str, str]:
        how, style = "done", "$text-muted"
        if state.fault[lane]:
            how, style = "fault", "bold $text-error"
        elif state.wait[lane]:
            how, style = "wait", "$text-warning"
        elif state.run[lane]:
            how, style = "run", "$text-success"
        return f"{lane} {how} ", style

    def _predicates(self, state: LaneState, lane: int) -> tuple[str, str]:
        """p7 to p0 as one digit each."""
        moved = any(who == lane for who, _ in state.moved)
        bits = f"{state.predicates[lane]:08b}"
        return f"{bits}{'*' if moved else ' '}", "bold $text-warning" if moved else ""

    def _register(self, state: LaneState, lane: int, register: int) -> tuple[str, str]:
        if not state.known[lane, register]:
            return ". ", "$text-muted"
        value = int(state.registers[lane, register])
        text = (
            f"{value:x}" if self.hexadecimal else str(value - (1 << 32) if value >> 31 else value)
        )
        changed = (lane, register) in state.changed
        text = text if len(text) <= _CELL - 2 else f"{value:x}h"
        return f"{text}{'*' if changed else ' '}", "bold $text-warning" if changed else ""

    def move(self, lanes: int = 0, rows: int = 0) -> None:
        self.first_lane += lanes
        self._first_row += rows
        self._held = bool(rows)
        self.refresh()

    def show(self, recording: Recording | None, state: LaneState | None) -> None:
        self._held = False
        super().show(recording, state)

    def toggle_base(self) -> None:
        self.hexadecimal = not self.hexadecimal
        self.refresh()

    def on_mouse_scroll_up(self) -> None:
        self.move(rows=-1)

    def on_mouse_scroll_down(self) -> None:
        self.move(rows=1)

    def on_mouse_scroll_left(self) -> None:
        self.move(lanes=-1)

    def on_mouse_scroll_right(self) -> None:
        self.move(lanes=1)
