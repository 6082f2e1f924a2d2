"""The chat: conversation, machine panel, input and status line."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen

from assistant.app.conversation import Conversation
from assistant.app.history import History
from assistant.app.loading import LoadingLine
from assistant.app.prompt import Prompt
from assistant.app.status import Status
from assistant.app.talk import Failed, Opened, Opening, Talk
from assistant.app.turn import Turn, TurnRecord
from assistant.events import Text

TICK = 1 / 15  # seconds between two looks at what the worker did


class ChatScreen(Screen[None]):
    """Draws what the worker did, a tick at a time, and gives it what the person asks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Stop or copy", priority=True),
        Binding("f1", "help", "Keys", priority=True),
        Binding("ctrl+r", "search_history", "Search history"),
        Binding("alt+up", "turns(-1)", "Answer above"),
        Binding("alt+down", "turns(1)", "Answer below"),
        Binding("pageup", "page(-1)", "Page up", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
        Binding("ctrl+home", "top", "First answer", priority=True),
        Binding("ctrl+end", "bottom", "Last answer", priority=True),
    ]

    def __init__(self, talk: Talk, history: History, data: Path | None, resume: str | None) -> None:
        super().__init__()
        self.talk, self.history, self.data = talk, history, data
        self.mode = "basic"
        self.conversation = Conversation()
        self.prompt = Prompt(history)
        self.status = Status()
        self.loading_line = LoadingLine()
        self._host = ""
        self._resume = resume

    def compose(self) -> ComposeResult:
        with Horizontal(id="columns"), Vertical(id="talk"):
            yield self.conversation
            yield self.loading_line
            yield self.prompt
        yield self.status

    def on_mount(self) -> None:
        self.prompt.focus()
        self.set_interval(TICK, self._tick)
        self._tell_status()

    async def _tick(self) -> None:
        texts: dict[str, list[str]] = {}
        for key, event in self.talk.drain():
            if isinstance(event, Text):
                texts.setdefault(key, []).append(event.piece)
                continue
            await self._write(texts)
            if key:
                turn = self.conversation.turn(key)
                if turn is not None:
                    await turn.take(event)
                self._tell_status()
            else:
                self._own_event(event)
        await self._write(texts)

    async def _write(self, texts: dict[str, list[str]]) -> None:
        for key, pieces in texts.items():
            turn = self.conversation.turn(key)
            if turn is not None:
                await turn.add_text("".join(pieces))
        texts.clear()

    def _own_event(self, event: Any) -> None:
        match event:
            case Opening(what):
                self.loading_line.step(what)
            case Opened(label, seconds):
                self._host = label
                self.loading_line.done(seconds)
            case Failed(text, _):
                self.loading_line.failed(text)
                self.notify(text, title="The assistant could not be opened", severity="error",
                            timeout=15, markup=False)  # fmt: skip
        self._tell_status()

    def _tell_status(self) -> None:
        host = self._host or "loading"
        doing = "working, ^C stops" if self.talk.busy else "ready"
        self.status.say(f"{host} · {self.mode} · {doing}")

    def on_print(self, event: events.Print) -> None:
        self.loading_line.printed(event.text)

    @on(Prompt.Sent)
    async def _sent(self, message: Prompt.Sent) -> None:
        await self.ask(message.text.strip())

    async def ask(self, question: str) -> None:
        """A question to the assistant, in a new turn."""
        record = TurnRecord(uuid.uuid4().hex, question)
        await self.conversation.add(record, self.mode)
        self.talk.ask(record.key, question)
        self._tell_status()

    @on(Turn.CopyText)
    def _copy(self, message: Turn.CopyText) -> None:
        if not message.text:
            self.notify(f"no {message.what} to copy", severity="warning", markup=False)
            return
        self.app.copy_to_clipboard(message.text)
        self.notify(f"{message.what} copied", markup=False, timeout=2)

    @on(Turn.Leave)
    def _leave_turn(self) -> None:
        self.prompt.focus()

    @on(Turn.EditAgain)
    def _edit_again(self, message: Turn.EditAgain) -> None:
        self.prompt.put(message.question)
        self.prompt.focus()

    def on_paste(self, event: events.Paste) -> None:
        """A paste while something else has the focus."""
        event.stop()
        self.prompt.paste_text(event.text)

    def on_key(self, event: events.Key) -> None:
        """Letters that nothing else took are typed: they are never lost."""
        if event.is_printable and event.character and self.focused is not self.prompt:
            event.stop()
            self.prompt.focus()
            self.prompt.insert(event.character)

    def action_interrupt(self) -> None:
        """Copies what is selected; otherwise stops the run; otherwise says how to leave."""
        selected = self.get_selected_text() or getattr(self.focused, "selected_text", "")
        if selected:
            self.app.copy_to_clipboard(selected)
            self.notify("copied", timeout=2)
        elif self.talk.cancel():
            self.notify("stopping", timeout=2)
        elif self.prompt.text:
            self.prompt.put("")
        else:
            self.notify("nothing runs; Ctrl-Q leaves", timeout=3)

    def action_turns(self, step: int) -> None:
        self.conversation.action_turn(step)

    def action_page(self, step: int) -> None:
        (self.conversation.scroll_page_up if step < 0 else self.conversation.scroll_page_down)()

    async def action_top(self) -> None:
        if not await self.conversation.show_earlier():
            self.conversation.scroll_home(animate=False)

    def action_bottom(self) -> None:
        self.conversation.scroll_end(animate=False)

    def action_help(self) -> None:
        self.notify("soon")

    def palette(self) -> Iterable[tuple[str, str, Callable[[], Any]]]:
        """(title, help, what it does) of the commands in the palette."""
        yield "First answer", "Scroll to the top", self.action_top
