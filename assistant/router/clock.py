"""Dates and clock times that stand in a message, as their numbers.

This reads notation only. A date of two small numbers first is day, then month, unless only the
other order is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september",
           "october", "november", "december"]  # fmt: skip
_MONTH = "|".join(f"{m[:3]}(?:{m[3:]})?" if len(m) > 3 else m for m in _MONTHS)
_ISO = re.compile(r"\b(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})\b")
_DAY_FIRST = re.compile(
    rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\sof)?\s(?P<m>{_MONTH})\.?,?\s(?P<y>\d{{4}})\b", re.I
)
_MONTH_FIRST = re.compile(
    rf"\b(?P<m>{_MONTH})\.?\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<y>\d{{4}})\b", re.I
)
_FIGURES = re.compile(r"\b(?P<d>\d{1,2})(?P<s>[./-])(?P<m>\d{1,2})(?P=s)(?P<y>\d{4})\b")
_TIME = re.compile(
    r"(?<![\d:.])(?P<h>\d{1,3})(?::|h(?=\d\d\b))(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?(?!\d|:\d)(?:\s?(?P<half>[ap](?:m\b|\.m\b\.?)))?",
    re.I,
)
# Whole hours, where what follows says that they are hours of the day.
_HOUR = re.compile(
    r"(?<![\d:.,])(?P<h>\d{1,2})\s?(?:(?P<half>[ap](?:m\b|\.m\b\.?))|o['’]clock\b|Uhr\b(?:\s(?P<m>[0-5]\d)\b)?)",
    re.I,
)


@dataclass(frozen=True)
class Moment:
    """A date (year, month, day) or a time (hours, minutes, seconds) and where it stands."""

    kind: str
    value: tuple[int, int, int]
    start: int
    end: int


def moments(text: str) -> list[Moment]:
    """Every date and time of `text`, in order, none inside another."""
    found = [*_dates(text), *_times(text)]
    found.sort(key=lambda m: (m.start, -m.end))
    kept: list[Moment] = []
    for moment in found:
        if not kept or moment.start >= kept[-1].end:
            kept.append(moment)
    return kept


def _dates(text: str) -> Iterator[Moment]:
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _FIGURES):
        for match in pattern.finditer(text):
            day, year, month = int(match["d"]), int(match["y"]), match["m"]
            number = int(month) if month.isdigit() else 1 + _index(month)
            if pattern is _FIGURES and number > 12 >= day:
                day, number = number, day
            if 1 <= number <= 12 and 1 <= day <= 31:
                yield Moment("date", (year, number, day), *match.span())


def _index(month: str) -> int:
    return next(i for i, name in enumerate(_MONTHS) if name.startswith(month.lower()))


def _times(text: str) -> Iterator[Moment]:
    for match in (*_TIME.finditer(text), *_HOUR.finditer(text)):
        hours, half = int(match["h"]), (match["half"] or "")[:1].lower()
        if match.re is _HOUR and hours > (12 if half else 24):
            continue
        if half and 1 <= hours <= 12:
            hours = hours % 12 + (12 if half == "p" else 0)
        seconds = match.groupdict().get("s")
        yield Moment("time", (hours, int(match["m"] or 0), int(seconds or 0)), *match.span())
