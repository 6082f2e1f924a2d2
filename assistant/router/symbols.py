"""Calls as a row of symbols, for a model to write: operators first, places as pointers.

`sub(mul(a, b), c)` becomes `sub mul @0 @1 @2 .`; kernels have a fixed number of arguments, so no
brackets are needed; `list` and `same` are closed by `]`, answers are parted by `;`, and `.` ends
the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.router.calls import (
    FOLLOW,
    LIST,
    NONE,
    OTHER,
    SAME,
    VERDICTS,
    Apply,
    Constant,
    Expression,
    Name,
)  # fmt: skip
from assistant.router.corpus import Example, Slot
from assistant.router.places import Message, Place

CLOSE, NEXT, END = "]", ";", "."
# Their arguments stand in the order of the message, so that one question has one row.
_ORDERLESS = {"add", "mul", "gcd", "lcm", "dot", LIST}
_LAST = 1 << 30
Symbol = str | int  # a word of the vocabulary, or the index of a place


class Misread(Exception):
    """The message's places are not what the phrasing's slots were filled with."""


def write(example: Example, message: Message) -> list[Symbol]:
    """What a router should write for an example. Raises Misread."""
    slots = {
        name: _pointer(slot, message) for name, slot in example.slots.items() if name[0] != "_"
    }
    free = [
        i
        for i, p in enumerate(message.places)
        if p.kind == "number"
        and not any(
            s.start < p.spans[0][1] and p.spans[0][0] < s.end for s in example.slots.values()
        )
    ]
    row: list[Symbol] = []
    for answer in example.phrasing.answers:
        if row:
            row.append(NEXT)
        _expression(answer, slots, message, free, row)
    return row if len(row) == 1 and row[0] in VERDICTS else [*row, END]


def _expression(
    expression: Expression,
    slots: Mapping[str, int],
    message: Message,
    free: list[int],
    row: list[Symbol],
) -> None:
    if isinstance(expression, Name):
        row.append(expression.text if expression.text in VERDICTS else slots[expression.text])
    elif isinstance(expression, Constant):
        said = [i for i in free if message.places[i].value == expression.value]
        row.append(free.pop(free.index(said[0])) if said else f"={expression.value}")
    else:
        row.append(expression.kernel)
        args = [list[Symbol]() for _ in expression.args]
        for arg, own in zip(expression.args, args, strict=True):
            _expression(arg, slots, message, free, own)
        if expression.kernel in _ORDERLESS:
            args.sort(key=_first_place)
        for own in args:
            row += own
        if expression.kernel in (LIST, SAME):
            row.append(CLOSE)


def _first_place(row: Sequence[Symbol]) -> int:
    """Where in the message an argument begins; constants come last."""
    return min((s for s in row if isinstance(s, int)), default=_LAST)


def _pointer(slot: Slot, message: Message) -> int:
    """The place that is the slot's. Raises Misread when there is none, or it reads otherwise."""
    inside = [
        i
        for i, p in enumerate(message.places)
        if all(slot.start <= a and b <= slot.end for a, b in p.spans)
    ]
    wanted = {
        "list": ("list",),
        "vector": ("list",),
        "figures": ("list",),
        "matrix": ("matrix",),
        "date": ("date",),
        "time": ("time",),
    }.get(slot.kind, ("number", "code"))
    fits = [i for i in inside if message.places[i].kind in wanted]
    if slot.kind not in ("hex", "bin"):
        fits = [i for i in fits if message.places[i].value == slot.value]
    if len(fits) != 1:
        raise Misread(f"{slot}: {[message.places[i].text for i in inside]}")
    return fits[0]


@dataclass(frozen=True)
class Signature:
    """What a kernel takes and gives: "int", "list" or "matrix"."""

    args: tuple[str, ...]
    result: str


class Grammar:
    """Which symbols may follow, so that every row is a well-formed list of calls.

    With `before`, a message that leans on an earlier figure is read together with it, and the call
    before may be repeated; without, all that can be said of such a message is that it does.
    """

    def __init__(
        self, signatures: Mapping[str, Signature], constants: Sequence[str], before: bool = False
    ) -> None:
        self.signatures = signatures
        self.constants = list(constants)
        self.verdicts: set[Symbol] = {NONE, OTHER} if before else {NONE, OTHER, FOLLOW}
        self.before = before

    def allowed(self, row: Sequence[Symbol], places: Sequence[Place]) -> set[Symbol]:
        """The symbols that may come after `row`; empty when it is complete."""
        if row and row[-1] in (END, *VERDICTS):
            return set()
        waiting = self._waiting(row)
        if not waiting:
            if row and row[-1] != NEXT:
                return {NEXT, END}
            first: set[Symbol] = set(self._fillable(places))
            first |= {SAME} if self.before and places else set()
            return first | self.verdicts if not row else first
        kind = waiting[-1]
        if kind == CLOSE:  # inside list(...): another number, or its end
            return self._of_kind("int", places) | {CLOSE}
        if kind == SAME:
            return {*range(len(places)), CLOSE} if row[-1] != SAME else set(range(len(places)))
        return self._of_kind(kind, places)

    def _fillable(self, places: Sequence[Place]) -> list[str]:
        """The kernels for whose arguments there can be something: a date, say, only stands in the
        message. (Numbers and lists of them can be computed.)"""
        there = {"int", "list", *(place.kind for place in places)}
        if there & {"number", "code"}:
            there.add("digits")
        return [name for name, known in self.signatures.items() if there.issuperset(known.args)]

    def _of_kind(self, kind: str, places: Sequence[Place]) -> set[Symbol]:
        found: set[Symbol] = {
            n for n in self._fillable(places) if self.signatures[n].result == kind
        }
        if kind == "int":
            found |= {*self.constants, *(i for i, p in enumerate(places) if p.kind == "number")}
        elif kind == "digits":
            found = {i for i, p in enumerate(places) if p.kind in ("code", "number")}
        else:
            found |= {i for i, p in enumerate(places) if p.kind == kind}
            found |= {LIST} if kind == "list" else set()
        return found

    def _waiting(self, row: Sequence[Symbol]) -> list[str]:
        """The kinds of the arguments that are still to come, the next one last."""
        waiting: list[str] = []
        for symbol in row:
            if symbol == NEXT:
                continue
            if symbol == CLOSE:
                waiting.pop()
                continue
            if waiting and waiting[-1] not in (CLOSE, SAME):
                waiting.pop()
            if symbol in (LIST, SAME):
                waiting.append(CLOSE if symbol == LIST else SAME)
            elif isinstance(symbol, str) and symbol in self.signatures:
                waiting += reversed(self.signatures[symbol].args)
        return waiting

    def read(self, row: Sequence[Symbol]) -> tuple[Expression, ...]:
        """The calls of a complete row; places are names `@0`, `@1`, …"""
        answers: list[Expression] = []
        at = 0
        while at < len(row) and row[at] != END:
            if row[at] == NEXT:
                at += 1
            expression, at = self._read(row, at)
            answers.append(expression)
        return tuple(answers)

    def _read(self, row: Sequence[Symbol], at: int) -> tuple[Expression, int]:
        symbol = row[at]
        if isinstance(symbol, int):
            return Name(f"@{symbol}"), at + 1
        if symbol.startswith("="):
            return Constant(int(symbol[1:])), at + 1
        if symbol in VERDICTS:
            return Name(symbol), at + 1
        args: list[Expression] = []
        at += 1
        if symbol in (LIST, SAME):
            while row[at] != CLOSE:
                arg, at = self._read(row, at)
                args.append(arg)
            return Apply(symbol, tuple(args)), at + 1
        for _ in self.signatures[symbol].args:
            arg, at = self._read(row, at)
            args.append(arg)
        return Apply(symbol, tuple(args)), at
