"""Errors that a user can cause. Their text is one line: what is wrong, where, and the mend."""

from __future__ import annotations


class VgpuError(Exception):
    """Base of the errors that the command line prints without a traceback."""


class InputError(VgpuError):
    """The call or its input is wrong (exit status 2)."""


class RunError(VgpuError):
    """The program ran and failed: a fault, the pass budget (exit status 1).

    `where` is the (file, line, column) of the instruction, when they are known.
    """

    def __init__(self, message: str, where: tuple[str, int, int] | None = None) -> None:
        super().__init__(message)
        self.where = where


class FaultError(RunError):
    """The network raised a fault: lane, pc and instruction are in the text."""


class BudgetError(RunError):
    """The pass budget ran out before every lane had exited."""


class Cancelled(RunError):
    """Whoever asked for the run wants it no longer."""
