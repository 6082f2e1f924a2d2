"""Where a person types: several lines, history, folded pastes, `/` commands."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from assistant.app.clean import pasted
from assistant.app.history import History
from assistant.slash import is_source

FOLD_LINES, FOLD_CHARACTERS = 12, 4000  # a paste beyond either is folded
PLACEHOLDER = "Ask something with numbers in it, or / for commands"


class Prompt(TextArea):
    """Enter sends, Ctrl-J or Shift-Enter begins a new line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "search_history", "Search history", show=False),
        Binding("ctrl+j,shift+enter,alt+enter", "new_line", "New line", show=False),
    ]

    class Sent(Message):
        """`text` is whole: folded pastes are unfolded. `shown` is what stood in the input."""

        def __init__(self, text: str, shown: str) -> None:
            super().__init__()
            self.text, self.shown = text, shown

    class Typed(Message):
        """The text has changed, or the cursor has moved within a command."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class PastedKernel(Message):
        """A whole CUDA source was pasted into an empty input."""

        def __init__(self, source: str) -> None:
            super().__init__()
            self.source = source

    class CompletionKey(Message):
        """A key for the list of completions: "up", "down", "tab", "escape"."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class SearchHistory(Message):
        pass

    def __init__(self, history: History) -> None:
        super().__init__(
            id="prompt",
            tab_behavior="focus",
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            placeholder=PLACEHOLDER,
        )
        self.asked = history
        self.completing = False  # a list of completions is open
        self._folded: dict[str, str] = {}

    def on_text_area_changed(self) -> None:
        self.post_message(self.Typed(self.text))

    async def _on_key(self, event: events.Key) -> None:
        key = event.key
        if self.completing and key in ("up", "down", "tab", "escape"):
            self._taken(event)
            self.post_message(self.CompletionKey(key))
        elif key == "enter":
            self._taken(event)
            self.send()
        elif key == "up" and self.cursor_at_first_line:
            self._taken(event)
            self._recall(self.asked.back(self.text))
        elif key == "down" and self.cursor_at_last_line:
            self._taken(event)
            self._recall(self.asked.forward())
        else:
            await super()._on_key(event)

    def _taken(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()

    def _recall(self, text: str | None) -> None:
        if text is not None:
            self.put(text)

    def put(self, text: str) -> None:
        """Replaces what is typed; long texts are folded."""
        self.text = ""
        self._folded.clear()
        self.insert(self._fold(text))
        self.move_cursor(self.document.end)

    @property
    def whole(self) -> str:
        """What is typed, with folded pastes in full."""
        text = self.text
        for mark, folded in self._folded.items():
            text = text.replace(mark, folded)
        return text

    def send(self) -> None:
        text, shown = self.whole, self.text
        if not text.strip():
            return
        self.asked.add(text)
        self.post_message(self.Sent(text, shown))
        self.text = ""
        self._folded.clear()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.paste_text(event.text)

    def paste_text(self, text: str) -> None:
        """A paste: cleaned, folded when it is long; it is never sent line by line."""
        text = pasted(text)
        if not self.text.strip() and is_source(text):
            self.post_message(self.PastedKernel(text))
            return
        start, end = self.selection
        result = self._replace_via_keyboard(self._fold(text), start, end)
        if result:
            self.move_cursor(result.end_location)
        self.focus()

    def _fold(self, text: str) -> str:
        lines = text.count("\n") + 1
        if lines <= FOLD_LINES and len(text) <= FOLD_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > FOLD_LINES else f"{len(text):,} characters"
        mark, number = f"[pasted {size}]", 1
        while mark in self._folded:
            number += 1
            mark = f"[pasted {size}, {number}]"
        self._folded[mark] = text
        return mark

    def action_new_line(self) -> None:
        self.insert("\n")

    def action_search_history(self) -> None:
        self.post_message(self.SearchHistory())
