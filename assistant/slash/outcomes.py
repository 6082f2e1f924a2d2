"""What became of a message: what a front end shows or does next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from assistant.config import Config
from assistant.conversations import Conversation, Message


@dataclass(frozen=True)
class Said:
    """Lines that a piece of work has to say, as it goes."""

    text: str


@dataclass(frozen=True)
class Work:
    """Something that takes time. `steps(assistant, cancelled)` does it, saving as it goes, and
    yields events (`assistant.events`, `Said`, at the end of a run `assistant.slash.running.Ran`);
    it raises as `Assistant.stream` does. `shown` is what was asked; `unbegun(problem)` keeps it
    where its turn never comes, as nothing can be opened, or the person stopped it (no problem).
    `conversation` is the one that it belongs to, where it is kept."""

    shown: str
    steps: Callable[[Any, threading.Event], Iterator[Any]]
    unbegun: Callable[[str], None] = lambda _: None
    conversation: str = ""


@dataclass(frozen=True)
class Shown:
    """An answer that is there at once."""

    text: str


@dataclass(frozen=True)
class Opened:
    """Another conversation goes on, or a new one begins."""

    conversation: Conversation
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Changed:
    """Settings for the assistant from now on; `host` says whether it needs another host."""

    settings: Config
    host: bool
    text: str


@dataclass(frozen=True)
class Copied:
    """Text for the clipboard."""

    text: str


@dataclass(frozen=True)
class Left:
    """The person wants to leave."""


Outcome = Work | Shown | Opened | Changed | Copied | Left
