"""The host's own words, as Markdown that is written while it streams."""

from __future__ import annotations

import contextlib

from textual import events
from textual.message import Message
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownBlock, MarkdownFence, MarkdownStream

from assistant.app.clean import clean


class CopyFence(MarkdownFence):
    """A block of code; a click on its frame's "copy" copies it."""

    class Copy(Message):
        def __init__(self, code: str) -> None:
            super().__init__()
            self.code = code

    def on_mount(self) -> None:
        self.border_subtitle = "copy"

    def on_click(self, event: events.Click) -> None:
        if event.y == self.size.height + 1 or event.screen_y == self.region.bottom - 1:
            event.stop()
            self.post_message(self.Copy(self.code))


class AnswerText(Markdown):
    """Cleaned pieces go in as they come; `end` draws the whole once more.

    Links are shown, not opened: their text is the model's.
    """

    BLOCKS: dict[str, type[MarkdownBlock]] = {
        **Markdown.BLOCKS,
        "fence": CopyFence,
        "code_block": CopyFence,
    }

    def __init__(self, text: str = "") -> None:
        super().__init__(clean(text), open_links=False)
        self.said = text
        self._stream: MarkdownStream | None = None

    async def piece(self, text: str) -> None:
        """More of the answer."""
        self.said += text
        if self._stream is None:
            self._stream = Markdown.get_stream(self)
        await self._stream.write(clean(text))

    async def end(self, text: str | None = None) -> None:
        """The answer is whole: draw it anew, from `text` when that differs from the pieces."""
        if self._stream is not None:
            with contextlib.suppress(RuntimeError):
                await self._stream.stop()
            self._stream = None
        self.said = self.said if text is None else text
        await self.update(clean(self.said))

    def codes(self) -> list[str]:
        """The blocks of code, in order."""
        return [fence.code for fence in self.query(MarkdownFence)]
