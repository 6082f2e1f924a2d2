"""What is kept: conversations and their messages. Times are seconds since 1970, UTC."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

Role = Literal["user", "assistant"]
# interrupted: the program that wrote the answer ended (killed, or the power went) before it did.
State = Literal["streaming", "done", "cancelled", "failed", "interrupted"]
ROLES: Final = get_args(Role)
STATES: Final = get_args(State)

LONGEST_TITLE: Final = 60
_KERNEL: Final = re.compile(
    r"__global__\b[^;{}()]*(?:__launch_bounds__\s*\([^)]*\)\s*)?\b(?P<name>(?!__launch)\w+)\s*\([^{};]*\)\s*\{"
)


@dataclass(frozen=True)
class Conversation:
    """`id` is six letters and digits. `named`: a person gave the title."""

    id: str
    title: str
    created: float
    updated: float
    host: str = ""
    mode: str = ""
    messages: int = 0
    named: bool = False


@dataclass(frozen=True)
class Message:
    """`number` counts from 1 in its conversation. `record` is `Answer.record()` or that of a run,
    None while there is none; `problem` says why an answer failed; `traces` are names of traces."""

    conversation: str
    number: int
    role: Role
    text: str
    created: float
    mode: str = ""
    state: State = "done"
    record: Mapping[str, Any] | None = None
    problem: str = ""
    traces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """A message that a search found. `excerpt` is one line around the first word found; `number`
    is 0 when the title was found."""

    conversation: Conversation
    number: int
    excerpt: str


def title_of(text: str) -> str:
    """A title from the first words of a message: its first line that says something, or the name
    of the kernel that it holds."""
    kernel = _KERNEL.search(text)
    if kernel:
        return f"kernel {kernel['name']}"[:LONGEST_TITLE]
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1].rstrip() + "…"
