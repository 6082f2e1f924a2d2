"""Errors of the compiler: one line for a person, with the place in the source."""

from __future__ import annotations

from vgpu.errors import InputError


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
