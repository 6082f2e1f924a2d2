"""Where words go: results to stdout, progress and errors to stderr.

Everything that is written goes through `assistant.untrusted`: no text can give a terminal orders.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

from assistant.stopping import check
from assistant.untrusted import clean, clean_json

MARK: Final = "**"  # stands before and after a figure
INTERRUPTED: Final = 130  # the status after Ctrl-C, as shells have it
STDOUT: Final = "stdout"  # its name in messages


def out(text: str = "") -> None:
    """A result line on stdout."""
    _write(clean(text) + "\n")


def out_answer(text: str = "") -> None:
    """An answer on stdout: the figures between Markdown's stars are bold on a terminal with
    colours, and plain elsewhere (a screen reader would read the stars)."""
    parts = clean(text).split(MARK)
    if len(parts) % 2 == 0 or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        out(unmarked(text))
        return
    marked = (f"\033[1m{part}\033[0m" if i % 2 else part for i, part in enumerate(parts))
    _write("".join(marked) + "\n")


def unmarked(text: str) -> str:
    """An answer without the marks of its figures."""
    return text.replace(MARK, "")


def out_piece(text: str) -> None:
    """A piece of a line on stdout."""
    _write(clean(text))


def control(sequence: str) -> None:
    """A sequence that the terminal is to obey; never one with text from elsewhere in it."""
    _write(sequence)


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, STDOUT) from None


def out_json(record: dict[str, Any]) -> None:
    """The one object of `--json`."""
    out(clean_json(json.dumps(record, ensure_ascii=False)))


def note(text: str) -> None:
    """A progress line on stderr. Raises `Cancelled` in work that was stopped, as progress does."""
    check()
    print(clean(text), file=sys.stderr, flush=True)


class Progress:
    """A line of progress on stderr, rewritten in place on a terminal and silent in a pipe."""

    def __init__(self, label: str) -> None:
        self.label = label
        self._live = sys.stderr.isatty()

    def __call__(self, done: int, total: int | None = None, name: str = "") -> None:
        check()
        if self._live:
            of = f" / {total}" if total else ""
            print(
                f"\r\033[K{self.label}: {done}{of} {clean(name[:40])}",
                end="",
                file=sys.stderr,
                flush=True,
            )

    def close(self) -> None:
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
