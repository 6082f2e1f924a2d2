"""Text from elsewhere (the host's words, pasted text, files) on its way to the terminal.

Whatever could move the cursor, recolour, rename the window, answer in the person's name or turn
letters around becomes a visible sign. One character at a time, so a sequence that is cut between
two pieces of a stream is caught as well.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _table() -> dict[int, str | None]:
    table: dict[int, str | None] = {c: chr(0x2400 + c) for c in range(0x20)}  # ESC → ␛
    del table[ord("\t")], table[ord("\n")]
    table[ord("\r")] = None  # it would write over its line
    table[0x7F] = "␡"
    table |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")  # CSI, OSC and others in one character
    table |= dict.fromkeys(range(0x202A, 0x202F), "\ufffd")  # turns the direction of writing
    table |= dict.fromkeys(range(0x2066, 0x206A), "\ufffd")
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")  # half a character: cannot be written
    return table


_TABLE: Final = _table()


def clean(text: str) -> str:
    """`text` that a terminal only writes. Newlines and tabs stay."""
    return text.translate(_TABLE)


def clean_json(text: str) -> str:
    """JSON that means the same, with what `json.dumps` leaves as it is but a terminal obeys, or
    UTF-8 cannot hold, written as `\\uXXXX`."""
    return _ESCAPED.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
