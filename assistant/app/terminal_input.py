"""Pastes as one piece, whatever is in them.

Textual takes an ESC inside a bracketed paste for the beginning of a key: what follows counts as
typed, and its ends of lines as Enter. A log with colours would be sent line by line, as questions
and commands. Here an ESC is replaced before Textual sees it, from the mark that begins a paste to
the one that ends it.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual import _xterm_parser
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.message import Message

from assistant.app.clean import STAND_IN

ESCAPE = "\x1b"


class PasteFilter:
    """Goes through what a terminal sends, which may be cut anywhere."""

    def __init__(self) -> None:
        self._inside = False
        self._seen = ""  # outside: the end of what was passed on, as far as a mark may begin there
        self._held = ""  # inside: what may be the beginning of the mark that ends the paste

    def pass_on(self, data: str) -> str:
        """What of it goes on now."""
        parts: list[str] = []
        while data:
            data = (self._paste if self._inside else self._keys)(data, parts)
        return "".join(parts)

    def _keys(self, data: str, parts: list[str]) -> str:
        """Passes on up to the beginning of a paste, and returns the rest."""
        at = (self._seen + data).find(BRACKETED_PASTE_START)
        if at < 0:
            parts.append(data)
            self._seen = (self._seen + data)[1 - len(BRACKETED_PASTE_START) :]
            return ""
        end = at + len(BRACKETED_PASTE_START) - len(self._seen)
        parts.append(data[:end])
        self._inside, self._seen = True, ""
        return data[end:]

    def _paste(self, data: str, parts: list[str]) -> str:
        """Passes on up to the end of the paste, and returns the rest."""
        data, self._held = self._held + data, ""
        at = data.find(BRACKETED_PASTE_END)
        if at >= 0:
            parts += [data[:at].replace(ESCAPE, STAND_IN), BRACKETED_PASTE_END]
            self._inside = False
            return data[at + len(BRACKETED_PASTE_END) :]
        last = data.rfind(ESCAPE)
        if last >= 0 and BRACKETED_PASTE_END.startswith(data[last:]):
            data, self._held = data[:last], data[last:]
        parts.append(data.replace(ESCAPE, STAND_IN))
        return ""


class Parser(XTermParser):
    """Textual's, behind the filter."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._filter = PasteFilter()

    def feed(self, data: str) -> Iterable[Message]:
        if data:  # an empty string is the end of all input
            data = self._filter.pass_on(data)
            if not data:
                return
        yield from super().feed(data)


def install() -> None:
    """From now on Textual's drivers, which are imported when an app begins, use this parser."""
    _xterm_parser.XTermParser = Parser  # type: ignore[misc]
