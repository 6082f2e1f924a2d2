"""The machine panel: follows a live run, and steps through a recorded one."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import MountError

from assistant.app.clean import one_line
from assistant.app.machine.lanes import Lanes
from assistant.app.machine.layers import Layers
from assistant.app.machine.listing import Listing
from assistant.app.machine.memory import Memory
from assistant.app.machine.pane import Pane
from assistant.app.machine.run_bar import RunBar
from assistant.app.machine.words import Words
from assistant.app.messages import BackToInput

if TYPE_CHECKING:
    from assistant.app.recording import Recording
    from assistant.app.turn_record import RunRecord

TICK = 0.1  # seconds between two looks at a live run
POLL, REPLAY = 0.006, 0.012  # seconds a tick for reading the trace, and for going through it
SPEEDS = (1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 1000.0)  # passes a second


class MachinePanel(Vertical, can_focus=True):
    """Shows one launch. Seeking far takes several ticks: the screen is drawn in between."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Run, pause"),
        Binding("right,full_stop", "step(1)", "Step"),
        Binding("left,comma", "step(-1)", "Step back"),
        Binding("shift+right", "step(10)", "10 on", show=False),
        Binding("shift+left", "step(-10)", "10 back", show=False),
        Binding("home", "seek(0)", "First pass", show=False),
        Binding("end", "live", "Last pass, follow", show=False),
        Binding("plus,equals_sign", "speed(1)", "Faster"),
        Binding("minus", "speed(-1)", "Slower"),
        Binding("x", "base", "Hexadecimal"),
        Binding("v", "view", "Other view", show=False),
        Binding("up", "rows(-1)", "Registers above", show=False),
        Binding("down", "rows(1)", "Registers below", show=False),
        Binding("left_square_bracket", "lanes(-1)", "Lanes", show=False),
        Binding("right_square_bracket", "lanes(1)", "Lanes", show=False),
        Binding("m", "memory(4)", "Memory on", show=False),
        Binding("M", "memory(-4)", "Memory back", show=False),
        Binding("n", "run(1)", "Next run"),
        Binding("p", "run(-1)", "Run before", show=False),
        Binding("escape", "leave", "Input", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="machine")
        self.runs: list[RunRecord] = []
        self.index = 0
        self.recording: Recording | None = None
        self.number = 0  # the pass that is shown
        self.follow = True
        self.playing = False
        self._speed = 2
        self._wanted = 0.0  # where playing has got to, with its fraction
        self._goal: int | None = None  # a pass that is still being sought
        self._last_tick = time.monotonic()
        self._filled = False
        self.bar = RunBar()
        self.listing, self.lanes = Listing(), Lanes()
        self.memory, self.words, self.map = Memory(), Words(), Layers()

    @property
    def panes(self) -> tuple[Pane, ...]:
        return (self.map, self.listing, self.lanes, self.words, self.memory)

    @property
    def run(self) -> RunRecord | None:
        return self.runs[self.index] if self.runs else None

    def on_mount(self) -> None:
        # The first paint of the app does not wait for panes that have nothing to show yet.
        self.call_after_refresh(self._fill)

    async def _fill(self) -> None:
        if not self.is_mounted:  # the person left at once
            return
        with contextlib.suppress(MountError):  # or leaves just now
            await self.mount(self.bar, *self.panes)
        if not self.bar.is_mounted:
            return
        self.set_interval(TICK, self._tick)
        self._filled = True
        self._draw()

    def show_runs(self, runs: list[RunRecord], index: int = -1, *, follow: bool) -> None:
        """Other launches; `follow` stays at the newest pass, otherwise the first is shown."""
        self.runs = [run for run in runs if run.program is not None]
        self.index = (index % len(self.runs)) if self.runs else 0
        self._open(follow)

    def _open(self, follow: bool) -> None:
        if self.recording is not None:
            self.recording.close()
        from assistant.app.recording import Recording

        run = self.run
        known = run is not None and run.program is not None
        self.recording = Recording(run.trace, run.program) if known else None  # type: ignore
        self.number, self._goal = 0, None
        self.follow, self.playing = follow, False
        if self.recording is not None:
            self.recording.poll(0.05)
            if follow:
                self._seek(self.recording.passes)
        self._draw()

    # ---- time ----
    def _tick(self) -> None:
        now = time.monotonic()
        spent, self._last_tick = now - self._last_tick, now
        recording, run = self.recording, self.run
        if recording is None or run is None or not self.display:
            return
        before = (self.number, recording.passes, self.bar.live)
        if not recording.ended:
            recording.poll(POLL)
        if self.playing:
            self._wanted += spent * SPEEDS[self._speed]
            self._seek(int(self._wanted))
            if not run.live and self.number >= recording.passes:
                self.playing = False
                self._draw()
        elif self.follow:
            self._seek(recording.passes)
        elif self._goal is not None:
            self._seek(self._goal)
        live = run.live and self.follow
        if before != (self.number, recording.passes, live) or run.live:
            self._draw()

    def _seek(self, number: int) -> None:
        """Goes towards a pass for as long as a tick may take."""
        if self.recording is None:
            return
        number = max(0, min(number, self.recording.passes))
        self.number = self.recording.state(number, REPLAY).number
        self._goal = number if self.number != number else None

    def _draw(self) -> None:
        if not self._filled:
            return
        run, recording = self.run, self.recording
        if run is None or recording is None:
            self.bar.show("no run yet", 0, 0, 0, 0, live=False, playing=False, speed=0)
            for pane in self.panes:
                pane.show(None, None)
            return
        several = f"{self.index + 1}/{len(self.runs)} " if len(self.runs) > 1 else ""
        block = "×".join(str(n) for n in recording.header.get("block", [1]) if n > 1) or "1"
        ctaid = recording.state(self.number).ctaid if any(
            n > 1 for n in recording.header.get("grid", [1])
        ) else ()  # fmt: skip
        where = f" block {','.join(map(str, ctaid))}" if ctaid else ""
        lanes = "lane" if block == "1" else "lanes"
        title = one_line(f"{several}{run.kernel} · {block} {lanes}{where}")
        ran = max(recording.passes, run.passes)
        total = recording.passes if recording.full else ran
        self.bar.show(
            title, self.number, total, run.budget, run.rate, left_out=ran - total,
            live=run.live and self.follow, playing=self.playing, speed=SPEEDS[self._speed],
        )  # fmt: skip
        state = recording.state(self.number)
        for pane in self.panes:
            pane.show(recording, state)

    def on_run_bar_sought(self, message: RunBar.Sought) -> None:
        message.stop()
        self.action_seek(message.number)

    # ---- keys ----
    def action_play(self) -> None:
        """Runs through the recording from here, or pauses."""
        self.playing = not self.playing
        if self.playing:
            if self.recording is not None and self.number >= self.recording.passes:
                self.number = 0
            self._wanted = float(self.number)
        self.follow = False
        self._goal = None
        self._draw()

    def action_step(self, by: int) -> None:
        self.action_seek(self.number + by)

    def action_seek(self, number: int) -> None:
        self.follow = self.playing = False
        self._seek(number)
        self._draw()

    def action_live(self) -> None:
        """The newest pass; a live run is followed again."""
        self.playing, self.follow = False, True
        self.memory.follow()
        if self.recording is not None:
            self._seek(self.recording.passes)
        self._draw()

    def action_speed(self, by: int) -> None:
        self._speed = max(0, min(self._speed + by, len(SPEEDS) - 1))
        self._draw()

    def action_base(self) -> None:
        self.lanes.toggle_base()

    def action_view(self) -> None:
        """Where there is room for half of the panes: the other half."""
        self.toggle_class("-other")

    def action_lanes(self, by: int) -> None:
        self.lanes.move(lanes=by)

    def action_rows(self, by: int) -> None:
        self.lanes.move(rows=by)

    def action_memory(self, by: int) -> None:
        self.memory.move(by)

    def action_run(self, by: int) -> None:
        """Another launch of the same answer."""
        if self.runs:
            self.index = (self.index + by) % len(self.runs)
            self._open(follow=False)

    def action_leave(self) -> None:
        self.post_message(BackToInput())
