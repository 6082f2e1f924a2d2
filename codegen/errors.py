"""Errors of the compiler: one line for a person, with the place in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from vgpu.errors import InputError

_LONGEST: Final = 160
_LONGEST_NAME: Final = 60
_LONG_NAME: Final = re.compile(rf"[\w$%]{{{_LONGEST_NAME + 1},}}")


class CompileError(InputError):
    """The source cannot be compiled. The text is `file:line:column: what is wrong; the mend`.

    `details` may hold further lines (the source line and a caret, further messages).
    """

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


def place(file: str, line: int, column: int, message: str) -> str:
    """`file:line:column: message`, leaving out what is 0 (unknown)."""
    where = file
    if line:
        where += f":{line}"
        if column:
            where += f":{column}"
    return f"{where}: {message}"


def shortened(text: str) -> str:
    """`text` as messages show it: of each name at most 60 characters."""
    return _LONG_NAME.sub(lambda m: f"{m[0][: _LONGEST_NAME - 1]}…", text)


def caret(text: str, line: int, column: int) -> str:
    """Line `line` of `text` and, beneath it, a mark at `column`; both count from 1.

    Empty when there is no such line; no mark when the column is 0 (unknown).
    """
    lines = text.splitlines()
    if not 1 <= line <= len(lines):
        return ""
    written = lines[line - 1].replace("\t", " ").rstrip()
    if not written or not written.isprintable() or len(written) > _LONGEST:
        return ""
    mark = " " * (column - 1) + "^" if 1 <= column <= len(written) + 1 else ""
    return "\n".join(f"    {s}" for s in (written, mark) if s)


@contextmanager
def showing(text: str, name: str) -> Iterator[None]:
    """A CompileError that names a line of `text`, the file called `name`, gets that line and a
    caret as its first details."""
    try:
        yield
    except CompileError as error:
        line, column = place_of(str(error), name)
        marked = caret(text, line, column)
        if marked and "^" not in error.details:
            error.details = "\n".join(s for s in (marked, error.details) if s)
        raise


def place_of(message: str, name: str) -> tuple[int, int]:
    """(line, column) of `name:line:column: …`; what is not there is 0."""
    if not message.startswith(f"{name}:"):
        return 0, 0
    numbers = [0, 0]
    for at, part in enumerate(message[len(name) + 1 :].split(":")[:2]):
        if not part.isdigit():
            break
        numbers[at] = int(part)
    return numbers[0], numbers[1]
