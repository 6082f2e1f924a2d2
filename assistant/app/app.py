"""The app: one chat screen, its worker, themes and the command palette."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from assistant.app.chat_screen import ChatScreen
from assistant.app.clipboard import copy_into_tmux
from assistant.app.history import History
from assistant.app.talk import Opener, Talk

if TYPE_CHECKING:
    from assistant.config import Config


class AssistantApp(App[int]):
    """`opener` makes the assistant, in the worker thread. `data` is the folder of conversations,
    traces and history; None keeps nothing."""

    TITLE = "assistant"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Leave", priority=True),
        Binding("ctrl+t", "toggle_dark", "Light or dark", priority=True),
    ]

    def __init__(
        self,
        opener: Opener,
        *,
        settings: Config | None = None,
        data: Path | None = None,
        resume: str | None = None,
    ) -> None:
        super().__init__()
        self.settings, self.data = settings, data
        self.talk = Talk(opener)
        self.history = History(data / "history.jsonl" if data else None)
        self.chat = ChatScreen(self.talk, self.history, data, resume)

    def get_default_screen(self) -> Screen[Any]:
        return self.chat

    def on_mount(self) -> None:
        self.theme = "textual-dark"
        # What the libraries print would tear the screen; the loading line shows it instead.
        self.begin_capture_print(self.chat)
        self.call_after_refresh(self.talk.start)

    def on_unmount(self) -> None:
        self.talk.stop()

    def action_toggle_dark(self) -> None:
        dark = self.current_theme.dark
        self.theme = "textual-light" if dark else "textual-dark"

    def copy_to_clipboard(self, text: str) -> None:
        """By OSC 52; inside tmux also into its own buffer, which goes on to the terminal."""
        super().copy_to_clipboard(text)
        copy_into_tmux(text)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        for title, help_text, action in self.chat.palette():
            yield SystemCommand(title, help_text, action)
