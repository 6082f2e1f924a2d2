"""A message with its numbers replaced, so that the router reads the words and not the values."""

from __future__ import annotations

from assistant.router.numbers import MARKER, Item, Reading

# Numerals that the host has seen in every kind of sentence. A message's scalars get them in the
# order of their size, so that "3 friends share 12" and "12 shared by 3" stay different.
_NUMERALS = ("3", "12", "40", "75", "200")
_LISTED = "7"


def skeleton(reading: Reading) -> str:
    """The message with every scalar, list and matrix in one fixed form."""
    text, parts = reading.text, []
    position = marker.end() if (marker := MARKER.match(text)) else 0
    by_size = sorted(reading.of_kind("scalar"), key=lambda item: (_size(item), item.start))
    for item in reading.items:
        if item.kind == "scalar":
            rank = min(by_size.index(item), len(_NUMERALS) - 1)
            form = _NUMERALS[rank] + "th" * item.numbers[0].ordinal
        else:
            form = _grouped(item)
        parts += [text[position : item.start], form]
        position = item.end
        if item.kind == "scalar" and item.numbers[0].ordinal and text[item.end - 1].isdigit():
            position += len("th")
    return "".join([*parts, text[position:]]).strip()


def _size(item: Item) -> int:
    return abs(item.numbers[0].value or 0)


def _grouped(item: Item) -> str:
    numbers = ", ".join([_LISTED] * 3)
    if item.kind == "matrix":
        return f"[[{numbers}], [{numbers}]]"
    return f"[{numbers}]" if item.bracketed else numbers
