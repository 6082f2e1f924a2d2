"""The `/` commands as data: what the app and the line REPL offer, explain and parse."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final, Literal

from vgpu.errors import InputError

# What an argument names; completion and the app's pickers go by it.
Kind = Literal[
    "none", "mode", "kernel file", "kernel", "conversation", "export", "trace", "host", "command",
    "attempt", "text",
]  # fmt: skip


@dataclass(frozen=True)
class Command:
    """`usage` is the argument as help shows it: in brackets when it may be left out."""

    name: str
    usage: str
    help: str
    kind: Kind = "none"
    aliases: tuple[str, ...] = ()

    @property
    def needed(self) -> bool:
        return bool(self.usage) and not self.usage.startswith("[")

    @property
    def shown(self) -> str:
        return f"/{self.name} {self.usage}".rstrip()


@dataclass(frozen=True)
class Call:
    """A command as typed; `argument` is the rest of the text, stripped."""

    command: Command
    argument: str = ""


COMMANDS: Final = (
    Command("help", "[COMMAND]", "what there is, or what one command does", "command", ("?",)),
    Command("mode", "[basic|advanced]", "which mode answers", "mode"),
    Command(
        "run", "FILE [OPTIONS]",
        "run a kernel: --in NAME=V,V,...  --out NAME=COUNT  --set NAME=V  --block N  --grid N",
        "kernel file",
    ),
    Command("kernels", "[NAME]", "the prebuilt kernels, or one of them", "kernel"),
    Command(
        "attempts", "[N [ptx|asm]]", "the programs written for the last answer, or one of them",
        "attempt",
    ),
    Command("trace", "[FILE.jsonl]", "every word of the last run, kept or written", "trace"),
    Command("host", "[HOST]", "which language model talks", "host"),
    Command("new", "", "begin another conversation"),
    Command("list", "[COUNT]", "the conversations, the latest first", "text", ("ls",)),
    Command("search", "WORDS", "conversations that hold all of the words", "text"),
    Command(
        "load", "ID|TITLE|FILE.json", "go on with a conversation", "conversation", ("resume",)
    ),
    Command(
        "save", "[NAME]", "keep the kernel written for the last answer; without one, name this "
        "conversation", "text",
    ),
    Command("rename", "TITLE", "another title for this conversation", "text"),
    Command("delete", "ID|TITLE", "delete a conversation for good", "conversation"),
    Command("export", "[FILE.md|FILE.json]", "write this conversation to a file", "export"),
    Command("copy", "", "copy the last answer"),
    Command("quit", "", "leave", "none", ("exit", "q")),
)  # fmt: skip
BY_NAME: Final = {name: c for c in COMMANDS for name in (c.name, *c.aliases)}
_LEAVE: Final = ("exit", "quit")


def is_command(text: str) -> bool:
    """Whether a message is a command: one line that begins with a slash and a letter."""
    text = text.strip()
    return text.lower() in _LEAVE or (text[:1] == "/" and (text[1:2].isalpha() or text == "/?"))


def parse(text: str) -> Call:
    """Raises InputError that names the nearest command, or what the command needs."""
    text = text.strip()
    if text.lower() in _LEAVE:
        return Call(BY_NAME["quit"])
    word, *rest = text[1:].split(None, 1)
    argument = rest[0].strip() if rest else ""
    command = BY_NAME.get(word.lower())
    if command is None:
        raise InputError(f"unknown command /{word}{_nearest(word.lower())}")
    if command.needed and not argument:
        raise InputError(f"/{command.name}: expected {command.shown}")
    if argument and not command.usage:
        raise InputError(f"/{command.name}: takes nothing after it")
    return Call(command, argument)


def _nearest(word: str) -> str:
    names = list(BY_NAME)
    near = [n for n in names if n.startswith(word)] or difflib.get_close_matches(word, names, 1)
    return f"; did you mean /{near[0]}?" if near else "; /help lists them"


def help_text(name: str = "") -> str:
    """All commands, a line each, or one. Raises InputError on an unknown name."""
    if name:
        word = name.lstrip("/").lower()
        if word not in BY_NAME:
            raise InputError(f"unknown command /{word}{_nearest(word)}")
        command = BY_NAME[word]
        also = f" (also {', '.join('/' + a for a in command.aliases)})" if command.aliases else ""
        return f"{command.shown}\n  {command.help}{also}"
    width = max(len(c.shown) for c in COMMANDS if c.name != "run")
    lines = [f"{c.shown:<{width}}  {c.help}" for c in COMMANDS]
    return "\n".join([*lines, "A pasted .cu file is run; its first line may hold the options."])
