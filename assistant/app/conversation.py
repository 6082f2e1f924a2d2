"""The turns of a conversation, newest below."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from assistant.app.figures import MARK

if TYPE_CHECKING:
    from assistant.app.turn import Turn
    from assistant.app.turn_record import TurnRecord

MOST_DRAWN = 12  # turns that have widgets; older ones are drawn again when asked for


_WELCOME = Content.assemble(
    ("A chat whose figures are computed inside the language model.\n\n", "bold"),
    "Ask something with numbers in it:\n"
    "  What is the dot product of [1, 2, 3] and [4, 5, 6]?\n"
    "  Is 1000003 prime?\n"
    "  Sort 5, 3, 9, 1\n\n"
    "/mode advanced: the host writes a kernel for what no prebuilt one does.\n"
    "Paste a CUDA kernel and it is run. / begins a command, F1 lists the keys.\n",
    (f"{MARK} marks what the machine computed; other numbers are the host's own words.", "italic"),
)


class Conversation(VerticalScroll, can_focus=False):
    """Stays at the bottom while answers stream, until the person scrolls up.

    Only the newest turns have widgets, so that a long conversation costs no more than a short one.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "turn(-1)", "Answer above", show=False),
        Binding("down,j", "turn(1)", "Answer below", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(id="conversation")
        self.records: list[TurnRecord] = []
        self._first = 0  # index of the oldest turn that is drawn
        self._earlier = Static(id="earlier")
        self._welcome = Static(_WELCOME, id="welcome")

    def compose(self) -> ComposeResult:
        yield self._welcome
        yield self._earlier

    def on_mount(self) -> None:
        self.anchor()
        self._tell_earlier()

    @property
    def turns(self) -> list[Turn]:
        from assistant.app.turn import Turn

        return list(self.query_children(Turn))

    def _widget(self, record: TurnRecord) -> Turn:
        from assistant.app.turn import Turn

        return Turn(record)

    @property
    def at_bottom(self) -> bool:
        return self.scroll_y >= self.max_scroll_y

    def turn(self, key: str) -> Turn | None:
        return next((t for t in reversed(self.turns) if t.record.key == key), None)

    async def add(self, record: TurnRecord) -> Turn:
        """A new turn at the bottom, and the view with it."""
        self.records.append(record)
        turn = self._widget(record)
        self._welcome.display = False
        await self.mount(turn)
        self.anchor()
        await self._prune()
        return turn

    async def show_all(self, records: list[TurnRecord]) -> None:
        """Another conversation."""
        self.records = list(records)
        await self.query_children("Turn").remove()
        self._first = max(0, len(self.records) - MOST_DRAWN)
        await self.mount_all([self._widget(r) for r in self.records[self._first :]])
        self._tell_earlier()
        self.anchor()

    async def _prune(self) -> None:
        turns = [t for t in self.turns if t.record.done]
        extra = len(self.turns) - MOST_DRAWN
        if extra <= 0 or not turns:
            return
        gone = turns[:extra]
        self._first += len(gone)
        with self.app.batch_update():
            for turn in gone:
                await turn.remove()
        self._tell_earlier()

    def _tell_earlier(self) -> None:
        self._welcome.display = not self.records
        self._earlier.display = self._first > 0
        self._earlier.update(Content(f"▲ {self._first:,} earlier: click or Ctrl-Home shows them"))

    async def show_earlier(self) -> bool:
        """Draws up to `MOST_DRAWN` turns more; False when all are drawn."""
        if self._first == 0:
            return False
        start = max(0, self._first - MOST_DRAWN)
        before = self.turns[0] if self.turns else None
        fresh = [self._widget(r) for r in self.records[start : self._first]]
        self._first = start
        self.release_anchor()
        await self.mount_all(fresh, before=before)
        self._tell_earlier()
        if before is not None:
            self.call_after_refresh(before.scroll_visible, animate=False, top=True)
        return True

    async def on_click(self, event: events.Click) -> None:
        if event.widget is self._earlier:
            await self.show_earlier()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Who scrolls up to the first turn that is drawn wants those before it."""
        super().watch_scroll_y(old_value, new_value)
        if new_value == 0 and old_value > 0 and self._first > 0:
            self.run_worker(self.show_earlier(), exclusive=True)

    def action_turn(self, step: int) -> None:
        """Moves the focus to the answer above or below."""
        turns = self.turns
        if not turns:
            return
        focused = self.screen.focused
        at = turns.index(focused) if focused in turns else len(turns)
        at = min(max(at + step, 0), len(turns) - 1)
        self.screen.set_focus(turns[at])
        turns[at].scroll_visible(animate=False)
