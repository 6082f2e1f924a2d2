"""Completion of what is being typed: commands, files, kernels, modes, hosts, conversations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assistant.config import CHOICES, Config
from assistant.conversations import Store
from assistant.slash.commands import BY_NAME, COMMANDS
from assistant.slash.options import ALL

MOST: Final = 100  # candidates
_SOURCES: Final = (".cu", ".ptx", ".vgpu")
_HELP: Final = {
    "--in": "NAME=V,V,... an array with contents",
    "--out": "NAME=COUNT an array that is read back",
    "--set": "NAME=V a scalar",
    "--kernel": "which kernel, if several",
    "--grid": "blocks",
    "--block": "threads a block",
    "--shared": "bytes",
    "--max-passes": "the pass budget",
}


@dataclass(frozen=True)
class Candidate:
    """`text` replaces what stands from `start` (characters from the text's beginning) to the end.
    `shown` and `about` are for the list."""

    text: str
    start: int
    shown: str
    about: str = ""


def complete(text: str, settings: Config, store: Store) -> list[Candidate]:
    """Candidates for the end of `text`, at most 100. Reads folders and the store: some ms."""
    found: Iterable[Candidate] = ()
    if text.startswith("/") and "\n" not in text:
        word, space, argument = text[1:].partition(" ")
        if not space:
            found = _commands(word)
        elif word in BY_NAME:
            found = _arguments(BY_NAME[word].kind, argument, len(text), settings, store)
    elif text.startswith("--") and "\n" not in text:
        found = _options(text.rpartition(" ")[2], len(text))
    return [candidate for candidate, _ in zip(found, range(MOST), strict=False)]


def _commands(word: str) -> Iterator[Candidate]:
    for command in COMMANDS:
        names = (command.name, *command.aliases)
        if any(name.startswith(word.lower()) for name in names):
            end = " " if command.usage else ""
            yield Candidate(f"/{command.name}{end}", 0, command.shown, command.help)


def _arguments(
    kind: str, argument: str, end: int, settings: Config, store: Store
) -> Iterator[Candidate]:
    typed = argument.lstrip()
    start = end - len(typed)
    if kind == "kernel file" and " " in typed:
        yield from _options(typed.rpartition(" ")[2], end)
    elif kind == "kernel file":
        yield from _files(typed, start, _SOURCES)
    elif kind == "attempt":
        yield from _attempt(typed, end)
    elif kind in ("export", "trace"):
        yield from _files(typed, start)
    elif kind == "conversation":
        for talk in store.conversations():
            if talk.id.startswith(typed.lower()) or typed.casefold() in talk.title.casefold():
                yield Candidate(talk.id, start, talk.id, talk.title)
        if typed[:1] in ("/", ".", "~"):
            yield from _files(typed, start, (".json",))
    else:
        yield from _matching(typed, start, _names(kind, settings))


def _names(kind: str, settings: Config) -> Iterable[tuple[str, str]]:
    """Names that begin an argument, and what they are."""
    if kind == "mode":
        about = {"basic": "prebuilt kernels", "advanced": "the host writes the kernel"}
        return [(name, about.get(name, "")) for name in CHOICES["mode"]]
    if kind == "host":
        return [(name, str(entry.get("label", ""))) for name, entry in settings.hosts.items()]
    if kind == "command":
        return [(command.name, command.help) for command in COMMANDS]
    if kind == "kernel":
        import codegen

        return [(kernel.name, kernel.doc) for kernel in codegen.catalog().values()]
    return ()


def _attempt(typed: str, end: int) -> Iterator[Candidate]:
    """What may follow the number of an attempt."""
    number, space, form = typed.partition(" ")
    if number.isdigit() and space:
        about = {"cuda": "as it was written", "ptx": "compiled", "asm": "the program that ran"}
        yield from _matching(form, end - len(form), about.items())


def _matching(typed: str, start: int, names: Iterable[tuple[str, str]]) -> Iterator[Candidate]:
    for name, about in names:
        if name.lower().startswith(typed.lower()):
            yield Candidate(name, start, name, about)


def _options(word: str, end: int) -> Iterator[Candidate]:
    if word == "" or (word.startswith("-") and "=" not in word):
        for name in ALL:
            if name.startswith(word):
                yield Candidate(f"{name} ", end - len(word), name, _HELP[name])


def _files(typed: str, start: int, suffixes: tuple[str, ...] = ()) -> Iterator[Candidate]:
    """Folders, and files of these kinds, that go on from what is typed."""
    folder, beginning = os.path.split(typed)
    try:
        with os.scandir(Path(folder or ".").expanduser()) as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries)
    except (OSError, RuntimeError, ValueError):
        return
    for name, is_folder in found:
        hidden = name.startswith(".") and not beginning.startswith(".")
        if not name.startswith(beginning) or hidden:
            continue
        if is_folder or (suffixes and name.endswith(suffixes)):
            shown = name + ("/" if is_folder else "")
            whole = os.path.join(folder, shown) if folder else shown
            yield Candidate(_quoted(whole), start, shown)


def _quoted(path: str) -> str:
    """As `/run` reads it: a blank would end the name."""
    return f'"{path}"' if " " in path else path
