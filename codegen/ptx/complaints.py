"""What is said of a text that is no PTX: one line with the place."""

from __future__ import annotations

import re
from typing import Final

from lark.exceptions import (
    UnexpectedCharacters,
    UnexpectedEOF,
    UnexpectedInput,
    UnexpectedToken,
)

from codegen.errors import CompileError, place, shortened

MAX_NESTING: Final = 64


def check_nesting(text: str, name: str) -> None:
    """Raises CompileError when braces are nested too deeply."""
    depth = 0
    for match in re.finditer(r"[{}\n]", text):
        if match.group() == "{":
            depth += 1
            if depth > MAX_NESTING:
                line = text.count("\n", 0, match.start()) + 1
                raise CompileError(place(name, line, 0, f"over {MAX_NESTING} nested braces"))
        elif match.group() == "}":
            depth -= 1


def check_comments(text: str, name: str) -> None:
    """Raises CompileError for a `/*` without its `*/`."""
    for match in re.finditer(r"//[^\n]*|/\*(?:.|\n)*?\*/|\"[^\"\n]*\"|/\*", text):
        if match.group() == "/*":
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            raise CompileError(place(name, line, column, "comment is not closed: write */"))


def explain(error: UnexpectedInput, text: str, name: str) -> str:
    """The message for a syntax error in `text`, the file called `name`."""
    line, column = error.line, error.column
    if isinstance(error, UnexpectedEOF) or (
        isinstance(error, UnexpectedToken) and error.token.type == "$END"
    ):
        last = text.rstrip()
        line = last.count("\n") + 1
        column = len(last) - (last.rfind("\n") + 1) + 1
        return place(name, line, column, "PTX syntax error: the file ends too early")
    if isinstance(error, UnexpectedToken):
        found = shortened(str(error.token))
    elif isinstance(error, UnexpectedCharacters):
        found = text[error.pos_in_stream or 0 :].split("\n", 1)[0][:24]
    else:
        found = "this"
    found = found if found.isprintable() else ascii(found)
    return place(name, line, column, f"PTX syntax error at '{found.strip()}'")
