"""A message with its numbers replaced, so that the router reads the words and not the values."""

from __future__ import annotations

from assistant.router.numbers import Item, Reading

# A numeral that the host has seen in every kind of sentence stands for each number.
_NUMERAL = "7"


def skeleton(reading: Reading) -> str:
    """The message with every scalar, list and matrix in one fixed form."""
    text, position, parts = reading.text, 0, []
    for item in reading.items:
        parts += [text[position : item.start], _form(item)]
        position = item.end
        if item.kind == "scalar" and item.numbers[0].ordinal and text[item.end - 1].isdigit():
            position += len("th")
    return "".join([*parts, text[position:]]).strip()


def _form(item: Item) -> str:
    if item.kind == "scalar":
        return _NUMERAL + "th" * item.numbers[0].ordinal
    numbers = f"{_NUMERAL}, {_NUMERAL}, {_NUMERAL}"
    if item.kind == "matrix":
        return f"[[{numbers}], [{numbers}]]"
    return f"[{numbers}]" if item.bracketed else numbers
