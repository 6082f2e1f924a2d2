"""Text of others in the forms that the app shows; `assistant.untrusted` makes it harmless."""

from __future__ import annotations

from assistant.untrusted import clean

__all__ = ["clean", "one_line", "pasted"]

STAND_IN = "\x1a"  # for an ESC, on its way from the terminal (`terminal_input`)


def one_line(text: str, most: int = 200) -> str:
    """`text` cleaned, on one line, cut to `most` characters with an ellipsis."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def pasted(text: str) -> str:
    """A paste, cleaned. Terminals send the ends of its lines as `\\r`, `\\n` or both."""
    return clean(text.replace(STAND_IN, "\x1b").replace("\r\n", "\n").replace("\r", "\n"))
