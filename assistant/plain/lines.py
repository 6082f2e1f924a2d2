"""Messages from a pipe: a line each; a CUDA source, from its first line on, is one to the end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from vgpu.errors import InputError

# What a source begins with, and a question does not.
_SOURCE: Final = re.compile(
    r"\s*(?:#\s*(?:include|define|pragma|if|ifdef|ifndef)\b|__\w+__\b|/\*|//\s|//\s*--"
    r"|extern\s+\"C\"|template\s*<|(?:/run\s+)?--[a-z])"
)
_COMMAND: Final = re.compile(r"\s*--[a-z]")


def messages(lines: Iterable[str]) -> Iterator[str]:
    """Each as soon as its line is there. Raises InputError on what is not UTF-8."""
    source: list[str] = []
    try:
        for line in lines:
            if source or _SOURCE.match(line):
                source.append(line)
            elif line.strip():
                yield line.rstrip("\n")
    except UnicodeDecodeError:
        raise InputError("the input is not valid UTF-8 text") from None
    if source:
        yield from _parts("".join(source))


def _parts(text: str) -> Iterator[str]:
    """The source whole; when there is no kernel in it, its lines were messages after all."""
    if "__global__" in text:
        yield text
    else:
        yield from (line for line in text.splitlines() if line.strip())
