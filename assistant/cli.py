"""The command line: which status and which words come of a call.

The app is opened without the tree of commands, which takes longer to import than to draw a screen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from assistant.console import INTERRUPTED, STDOUT, note
from assistant.ending import end_in_order
from assistant.terminal import can_show_screens
from vgpu.errors import InputError, VgpuError

_APP = ([], ["-c"], ["--continue"])  # calls that only open the app


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 done, 1 it ran and failed, 2 wrong call or input, 130 interrupted."""
    # transformers recommends packages whose kernels would round differently from its own.
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    _open_missing_streams()
    if arguments is None:  # the process is ours
        end_in_order()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status, wrong = _perform(given)
        sys.stdout.flush()
        return _failed(wrong, status) if wrong else status
    except InputError as error:
        return _failed(error, 2)
    except VgpuError as error:
        return _failed(error, 1)
    except KeyboardInterrupt:
        note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain again while it shuts down.
        _drop_stdout()
        return 1
    except OSError as error:
        if error.filename == STDOUT:
            _drop_stdout()
        where = f"{error.filename}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}", 1)


def _perform(given: list[str]) -> tuple[int, str]:
    if given in _APP and can_show_screens():
        from assistant.app import open_app

        return open_app(resume="" if given else None), ""
    from assistant.commands.tree import perform

    return perform(given)


def _drop_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_missing_streams() -> None:
    """A stream that the caller closed is None; what goes there is thrown away."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _failed(error: object, status: int) -> int:
    """One line; beneath it, where there is one, the line of the source and a mark."""
    note(f"assistant: {' '.join(str(error).split())}")
    details = _details(error)
    if details:
        note(details)
    return status


def _details(error: object) -> str:
    """The line of the source that an error names, if the file is there to be read."""
    where = getattr(error, "where", None)
    if where is None:
        return str(getattr(error, "details", ""))
    from codegen.errors import caret

    file, line, column = where
    try:
        return caret(Path(file).read_text(encoding="utf-8"), line, column)
    except (OSError, UnicodeDecodeError):
        return ""


if __name__ == "__main__":
    sys.exit(main())
