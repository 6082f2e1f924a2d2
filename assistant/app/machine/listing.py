"""The program, and which lanes are where in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from assistant.app.clean import one_line
from assistant.app.machine.pane import Pane, lane_ranges

if TYPE_CHECKING:
    from assistant.app.recording import LaneState, Recording
    from vgpu.program import Program

_GUTTER = 9  # columns for lanes


class Listing(Pane):
    """Instructions around the lanes' program counters. `▶` marks where lanes go on, `·` what the
    last pass executed, `‖` where they wait."""

    TITLE = "program"

    def __init__(self, id: str = "listing") -> None:
        super().__init__(id)
        self._program: Program | None = None
        self._texts: list[str] = []
        self._top = 0

    def texts(self, program: Program) -> list[str]:
        """The program's assembler lines, made once."""
        if self._program is not program:
            from vgpu import asm

            self._program, self._texts, self._top = program, asm.disassemble(program.code), 0
        return self._texts

    def lines(
        self, recording: Recording, state: LaneState, width: int, height: int
    ) -> list[Content]:
        texts = self.texts(recording.program)
        at: dict[int, list[int]] = {}
        for lane, pc in enumerate(state.pc):
            if state.run[lane] or state.wait[lane] or state.fault[lane]:
                at.setdefault(pc, []).append(lane)
        self._scroll(sorted(at), len(texts), height)
        groups = " · ".join(f"{lane_ranges(lanes)} at {pc}" for pc, lanes in sorted(at.items()))
        self.border_title = Content(
            one_line(f"program · {'lanes ' + groups if groups else 'all done'}", width - 2)
        )
        executed = set(state.executed)
        rows = []
        for pc in range(self._top, min(self._top + height, len(texts))):
            lanes = at.get(pc, [])
            waits = bool(lanes) and all(state.wait[lane] for lane in lanes)
            mark = "‖" if waits else "▶" if lanes else "·" if pc in executed else " "
            gutter = f"{lane_ranges(lanes):>{_GUTTER}}"[-_GUTTER:]
            style = "bold $text-accent" if lanes else "" if pc in executed else "$text-muted"
            source = self._source(recording.program, pc, width)
            line = Content.assemble(
                (gutter, "$text-accent"), (f" {mark} ", "bold"), (f"{pc:>4} ", "$text-muted"),
                (texts[pc], style), (source, "$text-muted"),
            )  # fmt: skip
            rows.append(line)
        return rows

    def _source(self, program: Program, pc: int, width: int) -> str:
        """The line of the source, where there is room for it."""
        source = program.source[pc] if pc < len(program.source) else None
        room = width - _GUTTER - 8 - len(self._texts[pc])
        if source is None or room < 12:
            return ""
        return f"  {source.file.rpartition('/')[2]}:{source.line}"

    def _scroll(self, pcs: list[int], length: int, height: int) -> None:
        """Keeps the lanes' instructions in view, and the view still while they are."""
        if pcs:
            first = pcs[0]
            if not self._top + 1 <= first <= self._top + height - 3:
                self._top = first - height // 3
        self._top = max(0, min(self._top, length - height))

    def on_mouse_scroll_up(self) -> None:
        self._top = max(0, self._top - 3)
        self.refresh()

    def on_mouse_scroll_down(self) -> None:
        self._top += 3
        self.refresh()
