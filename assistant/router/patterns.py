"""Call patterns: which kernel, and which numbers of the message go where.

`sub(n1, n0)` is the second scalar minus the first. `all` is every number as one list, l0 and l1
are lists, m0 and m1 matrices, `=2` a constant that the words imply ("squared").
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Any

from assistant.router.numbers import Item, Number, Reading

Span = tuple[int, int]
_PATTERN = re.compile(r"(\w+)(?:\((.*)\))?")
_SLOT = re.compile(r"(?P<kind>[nlm])(?P<index>\d)|(?P<all>all)|=(?P<constant>-?\d+)")
NO_CALL = {"none", "other"}
_IDLE = ({"one", "1"}, {"two"}, {"one", "1", "two"})


class Unfit(Exception):
    """The message's numbers do not fill the pattern; the text says how, for the person."""


@dataclass(frozen=True)
class Argument:
    """A kernel argument (a number, a list, a list of rows) and where it stands in the message."""

    value: Any
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Pattern:
    """A parsed call pattern; `kernel` is "none" or "other" when nothing is to be called."""

    text: str
    kernel: str
    slots: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Pattern:
        match = _PATTERN.fullmatch(text)
        slots = tuple(s.strip() for s in (match[2] or "").split(",") if s.strip()) if match else ()
        if not match or not all(_SLOT.fullmatch(slot) for slot in slots):
            raise ValueError(f'not a call pattern: "{text}"')
        return cls(text, match[1], slots)

    @property
    def calls(self) -> bool:
        return self.kernel not in NO_CALL

    def fill(self, reading: Reading) -> list[Argument]:
        """The arguments. Raises `Unfit` when numbers are missing or would be left unused.

        A "one" or "two" that is only a manner of speaking ("what does one cost", "two ropes")
        may go unused, when the pattern is filled exactly without it.
        """
        try:
            return self._fill(reading)
        except Unfit as unfit:
            for other in (*(reading.without(idle) for idle in _IDLE), reading.ungrouped()):
                if other is not reading:
                    with contextlib.suppress(Unfit):
                        return self._fill(other)
            raise unfit

    def _fill(self, reading: Reading) -> list[Argument]:
        places = [match for slot in self.slots if (match := _SLOT.fullmatch(slot))]
        if any(match["all"] for match in places):
            return [_gather(reading)]
        sources = {kind: _source(kind, reading, places) for kind in "nlm"}
        arguments, used = [], set()
        for match in places:
            if match["constant"]:
                arguments.append(Argument(int(match["constant"]), ()))
                continue
            kind, index = match["kind"], int(match["index"])
            if index >= len(sources[kind]):
                raise Unfit(_missing(kind, index + 1))
            argument = sources[kind][index]
            arguments.append(argument)
            used.update(argument.spans)
        _nothing_left(reading, used)
        return arguments


def _source(kind: str, reading: Reading, places: list[re.Match[str]]) -> list[Argument]:
    """The message's scalars, lists or matrices, as the pattern counts them."""
    wanted = sum(match["kind"] == kind for match in places)
    if not wanted:
        return []
    if kind == "n":
        scalars = reading.of_kind("scalar")
        lists = reading.of_kind("list")
        if not scalars and len(lists) == 1 and len(lists[0].numbers) == wanted:
            return [_scalar(number) for number in lists[0].numbers]
        return [_scalar(item.numbers[0]) for item in scalars]
    matrices = reading.of_kind("matrix")
    if kind == "m":
        return [_rows(item) for item in matrices]
    if len(matrices) == 1 and len(matrices[0].rows) == wanted:
        return [_list(row) for row in matrices[0].rows]
    return [_list(item.numbers) for item in reading.of_kind("list")]


def shortened(text: str, most: int = 40) -> str:
    """A long text keeps its beginning and its end."""
    return text if len(text) <= most else f"{text[: most // 2]}...{text[-most // 2 :]}"


def _whole(number: Number) -> int:
    if number.value is None:
        what = "is not" if "." in number.text else "cannot be read as"
        raise Unfit(
            f"{shortened(number.text)} {what} a whole number, and the kernels work on whole numbers"
        )
    return number.value


def _scalar(number: Number) -> Argument:
    return Argument(_whole(number), ((number.start, number.end),))


def _list(numbers: list[Number] | tuple[Number, ...]) -> Argument:
    return Argument([_whole(n) for n in numbers], tuple((n.start, n.end) for n in numbers))


def _rows(item: Item) -> Argument:
    widths = {len(row) for row in item.rows}
    if len(widths) != 1:
        raise Unfit("the rows of a matrix differ in length")
    spans = tuple((n.start, n.end) for n in item.numbers)
    return Argument([[_whole(n) for n in row] for row in item.rows], spans)


def _gather(reading: Reading) -> Argument:
    """Every number as one list; "these 5 values: ..." does not count its own length."""
    groups = [item for item in reading.items if item.kind != "scalar"]
    numbers = reading.numbers
    if len(groups) == 1:
        lone = [item.numbers[0] for item in reading.of_kind("scalar")]
        if lone and all(n.value == len(groups[0].numbers) for n in lone):
            numbers = groups[0].numbers
    if len(numbers) == 1 and numbers[0].parts:
        numbers = numbers[0].split()  # "100,200,300" where a list is wanted
    if len(numbers) < 2 and not groups:
        raise Unfit("it needs a list of numbers")
    return _list(numbers)


def _nothing_left(reading: Reading, used: set[Span]) -> None:
    """Every number must serve, or state the size or count of the lists and matrices in use."""
    sizes = set()
    groups = [item for item in reading.items if item.kind != "scalar"]
    for item in groups:
        sizes |= {len(item.rows), len(item.rows[0]), len(item.numbers)}
    sizes.add(len(groups))
    for item in reading.items:
        for number in item.numbers:
            counted = bool(groups) and item.kind == "scalar" and number.value in sizes
            if (number.start, number.end) not in used and not counted:
                raise Unfit(f'the number "{shortened(number.text)}" would be left unused')


def _missing(kind: str, count: int) -> str:
    name = {"n": "number", "l": "list", "m": "matrix"}[kind]
    plural = {"n": "numbers", "l": "lists", "m": "matrices"}[kind]
    return f"it needs {count} {plural if count > 1 else name}"
