"""A list to pick from by typing: the history, the conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from assistant.app.clean import one_line


@dataclass(frozen=True)
class Item:
    """`key` is what picking it gives."""

    key: str
    text: str
    about: str = ""


class PickScreen(ModalScreen[str | None]):
    """`find(words)` gives the items for what is typed; the picked item's key comes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "Cancel", priority=True),
        Binding("up", "move(-1)", "Up", priority=True),
        Binding("down", "move(1)", "Down", priority=True),
        Binding("ctrl+r", "move(1)", "Next", priority=True),
    ]

    def __init__(
        self, title: str, find: Callable[[str], Sequence[Item]], empty: str = "nothing found"
    ) -> None:
        super().__init__()
        self._title, self._find, self._empty = title, find, empty
        self._items: list[Item] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="pick") as box:
            box.border_title = Content(self._title)
            yield Input(placeholder="type to search", id="pick-words")
            yield OptionList(id="pick-list", markup=False)
            yield Static(id="pick-empty")

    def on_mount(self) -> None:
        self.query_one(OptionList).can_focus = False
        self._search("")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._search(event.value)

    def _search(self, words: str) -> None:
        self._items = list(self._find(words))
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options([
            Option(Content.assemble(
                one_line(item.text, 160), ("  " + one_line(item.about, 100), "$text-muted")
            ))
            for item in self._items
        ])  # fmt: skip
        if self._items:
            listed.highlighted = 0
        listed.display = bool(self._items)
        empty = self.query_one("#pick-empty", Static)
        empty.display = not self._items
        empty.update(Content(self._empty))

    @on(Input.Submitted)
    def _submitted(self) -> None:
        at = self.query_one(OptionList).highlighted
        self.dismiss(self._items[at].key if self._items and at is not None else None)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._items[event.option_index].key)

    def action_move(self, by: int) -> None:
        listed = self.query_one(OptionList)
        if self._items:
            listed.highlighted = ((listed.highlighted or 0) + by) % len(self._items)

    def action_cancel(self) -> None:
        self.dismiss(None)
