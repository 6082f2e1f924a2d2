"""Messages in, answers out, until Ctrl-D or the end of the pipe."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from assistant.config import Config
from assistant.console import control, note, out
from assistant.conversations import Message
from assistant.plain.turn import Turn
from assistant.slash import Changed, Copied, Left, Opened, Outcome, Session, Shown, Work, describe
from vgpu.errors import VgpuError

if TYPE_CHECKING:
    from assistant.answer import Assistant

_SHOWN_MESSAGES = 6  # of a conversation that is gone on with
_SHOWN_LINES = 12  # of each
_MARKS = {
    "cancelled": "(stopped)",
    "interrupted": "(the program ended before the answer did)",
    "streaming": "(still being written by another program)",
}


class Repl:
    """`interactive`: a person types; Ctrl-C then stops the work, not the program."""

    def __init__(
        self,
        session: Session,
        *,
        interactive: bool,
        assistant: Callable[[Config], Any] | None = None,
    ) -> None:
        self.session, self.interactive = session, interactive
        self._make = assistant or _assistant
        self._assistant: Any = None
        self._told: set[str] = set()

    def run(self, messages: Iterator[str]) -> int:
        """The exit status: 0 when every message had its answer, or a person was there to see."""
        status = 0
        self.tell_notices()
        for text in messages:
            if not text.strip():
                continue
            try:
                outcome = self.session.take(text)
            except VgpuError as error:
                note(describe(error))
                ok = False
            else:
                if isinstance(outcome, Left):
                    break
                ok = self.show(outcome)
            self.tell_notices()
            if not ok and not self.interactive:
                status = 1
        return status

    def show(self, outcome: Outcome) -> bool:
        """Does what has become of a message; False when it failed."""
        match outcome:
            case Work():
                turn = Turn(self._told)
                return turn.perform(outcome, _Later(self._opened), keep_on=self.interactive)
            case Shown(text):
                out(text)
            case Opened(conversation, messages):
                title = f' "{conversation.title}"' if conversation.title else ""
                note(f"conversation {conversation.id}{title}")
                if len(messages) > _SHOWN_MESSAGES:
                    note(f"({len(messages) - _SHOWN_MESSAGES} earlier messages)")
                for message in messages[-_SHOWN_MESSAGES:]:
                    out(_said(message))
            case Changed(settings, host, text):
                self._change(settings, host)
                out(text)
            case Copied(text):
                return self._copy(text)
        return True

    def tell_notices(self) -> None:
        for notice in self.session.store.take_notices():
            note(f"notice: {notice}")

    def _opened(self) -> Any:
        """The assistant, made at the first message that needs it."""
        if self._assistant is None:
            self._assistant = self._make(self.session.settings)
        return self._assistant

    def _change(self, settings: Config, host: bool) -> None:
        if self._assistant is None:
            return
        if host:
            self._assistant = None
        else:
            self._assistant.config = settings

    def _copy(self, text: str) -> bool:
        if not sys.stdout.isatty():
            note("/copy: needs a terminal: the answer is above")
            return False
        # OSC 52: the terminal at the other end of an ssh connection has the clipboard.
        control(f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07")
        note("copied")
        return True


class _Later:
    """Stands for the assistant: it is made when first used, within the turn that waits for it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> Any:
        return getattr(self._make(), name)


def _assistant(settings: Config) -> Assistant:
    from assistant.answer import Assistant

    return Assistant(settings)


def _said(message: Message) -> str:
    """A message of before, with the prompt's sign where the person spoke."""
    lines = message.text.rstrip().splitlines()
    more = [f"... ({len(lines)} lines)"] if len(lines) > _SHOWN_LINES else []
    lines = [*lines[:_SHOWN_LINES], *more]
    if message.role == "user":
        return "\n".join(["> " + (lines[0] if lines else ""), *("  " + line for line in lines[1:])])
    mark = message.problem if message.state == "failed" else _MARKS.get(message.state, "")
    tried = len((message.record or {}).get("attempts") or ())
    programs = f"({tried} program{'s' if tried != 1 else ''} written for it)" if tried else ""
    return "\n".join([*lines, *filter(None, (mark, programs))])
