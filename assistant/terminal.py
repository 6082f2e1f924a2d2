"""What the program runs in."""

from __future__ import annotations

import os
import sys


def can_show_screens() -> bool:
    """Whether the app can be drawn: on a terminal, or in a browser for `serve-web`."""
    if "TEXTUAL_DRIVER" in os.environ:
        return True
    terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    return terminal and os.environ.get("TERM") != "dumb"
