"""Keys and commands, on one page."""

from __future__ import annotations

import textwrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

_COLUMN = 26  # where the second column begins
KEYS = (
    ("Typing", (
        ("Enter", "send"),
        ("Ctrl-J, Shift-Enter", "new line"),
        ("Up, Down", "earlier and later questions"),
        ("Ctrl-R", "search the history"),
        ("Tab", "complete a / command"),
        ("Ctrl-C", "copy what is selected, else stop, else clear the line"),
    )),
    ("Answers", (
        ("Alt-Up, Alt-Down", "move between answers; then"),
        ("Enter", "open the answer's run in the machine panel"),
        ("c  ·  b", "copy the answer  ·  its next block of code"),
        ("e", "edit the question and ask again"),
        ("PageUp, PageDown", "scroll;  Ctrl-Home, Ctrl-End  first and last"),
    )),
    ("Machine panel", (
        ("F2", "show or hide;  F6  move between input and panel"),
        ("Space", "run or pause the recording"),
        ("Right, Left", "step on and back;  with Shift ten passes"),
        ("Home, End", "first pass;  last pass, and follow a live run"),
        ("+  -", "faster, slower"),
        ("Up, Down  ·  [  ]", "registers  ·  lanes"),
        ("m  M  ·  x  ·  v", "memory on, back  ·  hexadecimal  ·  other view"),
        ("n  p", "next and earlier run of the answer"),
    )),
    ("Session", (
        ("F3", "the kernels of an answer: CUDA, diagnostics, PTX, program"),
        ("F4, Ctrl-O", "conversations: find, go on"),
        ("Ctrl-N", "new conversation"),
        ("Ctrl-P", "all commands"),
        ("Ctrl-T", "light or dark"),
        ("F1  ·  Ctrl-Q", "this page  ·  leave"),
    )),
)  # fmt: skip


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,ctrl+c,enter", "close", "Close", priority=True),
        Binding("down,j", "scroll(1)", "Down"),
        Binding("up,k", "scroll(-1)", "Up"),
    ]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help") as box:
            box.border_title = Content("Keys and commands · Escape closes")
            yield Static()

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        box = self.query_one(VerticalScroll)
        self.query_one(Static).update(page(box.scrollable_content_region.width))

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


def page(width: int) -> Content:
    """The whole text; what does not fit beside a key goes on below it, in its own column."""
    from assistant.slash import COMMANDS

    parts: list[tuple[str, str] | str] = []
    for title, rows in KEYS:
        parts.append((f"{title}\n", "bold $text-accent"))
        for key, what in rows:
            parts += _row(key, what, width)
        parts.append("\n")
    parts.append(("Commands\n", "bold $text-accent"))
    for command in COMMANDS:
        parts += _row(command.shown, command.help, width)
    parts.append("\nA pasted .cu file is run. ◆ marks what the machine computed.\n")
    return Content.assemble(*parts)


def _row(key: str, what: str, width: int) -> list[tuple[str, str] | str]:
    lines = textwrap.wrap(what, max(width - _COLUMN, 16)) or [""]
    first = f"  {key:<{_COLUMN - 2}}"
    if len(first) > _COLUMN:
        first = f"{first}\n{'':<{_COLUMN}}"
    return [(first, "bold"), f"\n{'':<{_COLUMN}}".join(lines), "\n"]
