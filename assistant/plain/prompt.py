"""The prompt: history, completion by Tab, Ctrl-R, pastes of many lines as one message."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth

from assistant.app.history import History as Asked
from assistant.plain.folding import Folds
from assistant.slash import Session, complete

SIGN: Final = "> "
_GOES_ON: Final = "  "
_LONGEST: Final = 5_000  # characters of an entry that the prompt offers again


class Prompt:
    """Messages as they are typed. `history` is the file of what was asked, None for none."""

    def __init__(self, session: Session, history: Path | None) -> None:
        self._folds = Folds()
        self._prompt: PromptSession[str] = PromptSession(
            SIGN,
            history=_History(Asked(history), self._folds),
            completer=_Completer(session),
            complete_while_typing=False,
            key_bindings=_keys(self._folds),
            prompt_continuation=_GOES_ON,
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
        )

    def ask(self) -> str:
        """The next message. Raises EOFError at Ctrl-D and KeyboardInterrupt at Ctrl-C."""
        return self._folds.unfold(self._prompt.prompt())


class _History(History):
    """Shared with the app: the newest entry is the first that Up brings."""

    def __init__(self, asked: Asked, folds: Folds) -> None:
        super().__init__()
        self._asked, self._folds = asked, folds

    def load_history_strings(self) -> Iterable[str]:
        return (entry for entry in reversed(self._asked.entries) if len(entry) <= _LONGEST)

    def store_string(self, string: str) -> None:
        self._asked.add(self._folds.unfold(string))


class _Completer(Completer):
    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        for candidate in complete(text, self._session.settings, self._session.store):
            yield Completion(
                candidate.text, candidate.start - len(text), candidate.shown,
                display_meta=candidate.about,
            )  # fmt: skip


def _keys(folds: Folds) -> KeyBindings:
    keys = KeyBindings()

    @keys.add(Keys.BracketedPaste)
    def paste(event: KeyPressEvent) -> None:
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(folds.fold(text))

    @keys.add("escape", "enter")
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys
