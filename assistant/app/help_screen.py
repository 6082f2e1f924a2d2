"""Keys and commands, on one page."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

KEYS = (
    ("Typing", (
        ("Enter", "send"),
        ("Ctrl-J, Shift-Enter", "new line"),
        ("Up, Down", "earlier and later questions"),
        ("Ctrl-R", "search the history"),
        ("Tab", "complete a / command"),
        ("Ctrl-C", "copy what is selected, else stop the run, else clear the line"),
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
            yield Static(page())

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


def page() -> Content:
    """The whole text."""
    from assistant.slash import COMMANDS

    parts: list[tuple[str, str] | str] = []
    for title, rows in KEYS:
        parts.append((f"{title}\n", "bold $text-accent"))
        for key, what in rows:
            parts += [(f"  {key:<22}", "bold"), f"{what}\n"]
        parts.append("\n")
    parts.append(("Commands\n", "bold $text-accent"))
    for command in COMMANDS:
        parts += [(f"  {command.shown:<24}", "bold"), f"{command.help}\n"]
    parts.append("\nA pasted .cu file is run. ◆ marks what the machine computed.\n")
    return Content.assemble(*parts)
