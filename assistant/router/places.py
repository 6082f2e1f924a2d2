"""The places of a message that a call can point at, and the message as the host reads it.

Numbers are replaced by fixed ones (those that the host has seen in every kind of sentence), in
the order of their size, so that the router reads the words and not the values, and yet "3
friends share 12" and "12 shared by 3" stay different.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assistant.router.clock import Moment, moments
from assistant.router.numbers import MARKER, Item, Number, Reading

_NUMERALS = ("3", "12", "40", "75", "200", "450", "900", "2000")
_LISTED = "7, 7, 7"
_MOST_LOOSE = 4  # numbers of a run that may be arguments of their own
# Digits of another base without a prefix: "7D0", "BEEF". Which they are, the host decides.
_CODE = re.compile(r"\b(?=[0-9A-F]*[A-F])(?=[0-9A-F]*\d|[A-F]{2,}\b)[0-9A-F]{2,16}\b|"
                   r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{2,16}\b")  # fmt: skip
_BINARY = re.compile(r"1[01]{3,}")
_PREFIX = re.compile(r"0[xXbB]")

Span = tuple[int, int]


@dataclass(frozen=True)
class Code:
    """Digits of another base."""

    text: str
    start: int
    end: int


Unit = Number | Item | Moment | Code


@dataclass(frozen=True)
class Place:
    """A number, list, matrix, date, time or code. `value` is what a call takes, None when there is
    no whole number; `spans` are offsets into the message, `start` and `end` into what is read."""

    kind: str
    value: Any
    spans: tuple[Span, ...]
    text: str
    start: int
    end: int
    percent: bool = False


@dataclass(frozen=True)
class Message:
    """What the host reads, and the places in it."""

    text: str
    places: tuple[Place, ...]


def message(reading: Reading) -> Message:
    """The message with every number in its fixed form. Places stand in the order of the text."""
    text = reading.text
    units = _units(reading)
    ranks = _ranks(units)
    position = marker.end() if (marker := MARKER.match(text)) else 0
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    for unit in units:
        form = _form(unit, ranks)
        before = text[position : unit.start]
        at = length + len(before)
        places.append(_place(unit, text, at, at + len(form)))
        parts += [before, form]
        length = at + len(form)
        position = unit.end
        if isinstance(unit, Number) and unit.ordinal and text[unit.end - 1].isdigit():
            position += len("th")
    parts.append(text[position:])
    groups = (_group(item, places) for item in reading.items if _loose(item))
    return Message("".join(parts), (*places, *(g for g in groups if g is not None)))


def _units(reading: Reading) -> list[Unit]:
    """What is replaced as a whole, in the order of the text."""
    times = moments(reading.text)
    units: list[Unit] = [*times]
    for item in reading.items:
        parts = item.numbers if item.kind == "scalar" or _loose(item) else [item]
        units += [p for p in parts if not any(_overlap(p, t) for t in times)]
    for match in _CODE.finditer(reading.text):
        code = Code(match[0], *match.span())
        if not any(_overlap(code, unit) for unit in units):
            units.append(code)
    return sorted(units, key=lambda unit: unit.start)


def _loose(item: Item) -> bool:
    """A short run without brackets may be one list, or arguments of their own."""
    return item.kind == "list" and not item.bracketed and len(item.numbers) <= _MOST_LOOSE


def _overlap(one: Unit, other: Unit) -> bool:
    return one.start < other.end and other.start < one.end


def _ranks(units: list[Unit]) -> dict[int, int]:
    """Start of each number → its place in the order of sizes; equal numbers share one."""
    numbers = [u for u in units if isinstance(u, Number)]
    sizes = sorted({abs(n.value or 0) for n in numbers})
    return {n.start: min(sizes.index(abs(n.value or 0)), len(_NUMERALS) - 1) for n in numbers}


def _form(unit: Unit, ranks: dict[int, int]) -> str:
    if isinstance(unit, Code):
        return "2F"
    if isinstance(unit, Moment):
        return {"date": "2020-05-05", "time": "7:30"}[unit.kind]
    if isinstance(unit, Number):
        if _PREFIX.match(unit.text):
            return unit.text[:2] + ("2F" if unit.text[1] in "xX" else "101")
        if unit.text.lower().split()[-1:] == ["dozen"]:
            return unit.text
        if _BINARY.fullmatch(unit.text):
            return "1010"
        sign = "-" if (unit.value or 0) < 0 else ""
        return sign + _NUMERALS[ranks[unit.start]] + "th" * unit.ordinal
    if unit.kind == "matrix":
        return f"[[{_LISTED}], [{_LISTED}]]"
    return f"[{_LISTED}]" if unit.bracketed else _LISTED


def _place(unit: Unit, text: str, start: int, end: int) -> Place:
    written = text[unit.start : unit.end]
    if isinstance(unit, Item):
        values = [[n.value for n in row] for row in unit.rows]
        whole = all(v is not None for row in values for v in row)
        spans = tuple((n.start, n.end) for n in unit.numbers)
        value = (values if unit.kind == "matrix" else values[0]) if whole else None
        return Place(unit.kind, value, spans, written, start, end)
    kind = unit.kind if isinstance(unit, Moment) else "code" if isinstance(unit, Code) else "number"
    value = None if isinstance(unit, Code) else unit.value
    rate = isinstance(unit, Number) and unit.percent
    return Place(kind, value, ((unit.start, unit.end),), written, start, end, rate)


def _group(item: Item, places: list[Place]) -> Place | None:
    """A short run as one list; its numbers are places of their own."""
    members = [p for p in places if p.kind == "number" and item.start <= p.spans[0][0] < item.end]
    if len(members) < len(item.numbers):
        return None
    whole = all(p.value is not None for p in members)
    return Place(
        "list", [p.value for p in members] if whole else None,
        tuple(p.spans[0] for p in members), "", members[0].start, members[-1].end,
    )  # fmt: skip
