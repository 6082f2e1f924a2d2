"""Inputs for the self-check, made from the user's: like them, shorter, in another order.

Nothing here knows what a task computes. Values are drawn between the least and the greatest of the
user's own, so that they stay in the task's domain ("counts, never negative"); one case goes beyond
them, and nothing but the wish for a result that varies rests on it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assistant.advanced.task import Task, Value, lists_of

_SHORT = 6  # numbers of a short list
_TRIES = 20
_MORE = 12  # further cases, at most
_PAST = 3  # numbers that stand behind a list and are none of it


@dataclass(frozen=True)
class Case:
    """`alike` is the case that must give the same result: always (more numbers in memory behind a
    list), or for a program whose writer says that the order is free. `loose` cases lie outside
    what the user gave; a program may fail on them."""

    name: str
    inputs: Mapping[str, Any]
    alike: str = ""
    loose: bool = False


def cases(task: Task, seed: int) -> list[Case]:
    """The cases for a task; the same seed gives the same ones."""
    rng = random.Random(seed)
    made = _Maker(task, rng)
    short = made.drawn(made.short)
    found = [Case("short", short)]
    if lists_of(short):
        if made.resizable:
            found.append(Case("past the end", made.padded(short), alike="short"))
        if len(lists_of(short)) == 1 and not made.matrix:
            found.append(Case("other order", made.shuffled(short), alike="short"))
    found.append(Case("drawn", made.drawn(made.longer)))
    if made.loose_scalars:
        found.append(Case("other numbers", made.renumbered(short)))
    found.append(Case("wide", made.wide(short), loose=True))
    return found


def more(task: Task, seed: int) -> Iterator[Case]:
    """Other cases, for programs whose result has not varied yet: lists down to one number, numbers
    around the user's, both signs. A program may fail on them."""
    made = _Maker(task, random.Random(seed + 1))
    for number in range(1, _MORE + 1):
        length = 1 + (number - 1) % 3 if number <= 6 else _SHORT

        def size(own: int, most: int = length) -> int:
            return min(own, most)

        inputs = made.drawn(size)
        for name in made.loose_scalars:
            value = made.scalars[name]
            reach = max(3, abs(value) // 2)
            low = 1 if value > 0 else value - reach
            inputs[name] = made.rng.randint(max(low, value - reach), value + reach)
        yield Case(f"more {number}", made.wide(inputs) if number % 3 == 0 else inputs, loose=True)


class _Maker:
    """Makes inputs of the form of a task's."""

    def __init__(self, task: Task, rng: random.Random) -> None:
        self.task, self.rng = task, rng
        self.lists = dict(lists_of(task.inputs))
        self.scalars = {n: v for n, v in task.inputs.items() if isinstance(v, int)}
        self.length_of = _lengths(self.lists, self.scalars)
        self.resizable = len(self.length_of) == len(self.lists) > 0
        self.matrix = not self.resizable and bool(self.lists)
        used = set(self.length_of.values())
        if self.matrix:
            used |= {"rows", "cols"} & set(self.scalars) or set(self.scalars)
        self.loose_scalars = [name for name in self.scalars if name not in used]

    @property
    def _least(self) -> int:
        """A length that a window or a place given by a scalar still fits."""
        sizes = [self.scalars[name] for name in self.loose_scalars]
        fits = [abs(size) + 2 for size in sizes if abs(size) <= min(map(len, self.lists.values()))]
        return max([_SHORT, *fits]) if self.lists else 0

    def short(self, length: int) -> int:
        return min(length, self._least)

    def longer(self, length: int) -> int:
        return length + 2 if length <= _SHORT else max(self._least, _SHORT + 2)

    def drawn(self, size: Any) -> dict[str, Value]:
        """Lists of other values, `size(length)` long; scalars without lists are drawn too."""
        inputs: dict[str, Value] = dict(self.task.inputs)
        lengths = {name: size(len(values)) for name, values in self.lists.items()}
        for name, values in self.lists.items():
            length = lengths[name] if self.resizable else len(values)
            inputs[name] = self._values(values, length)
            if name in self.length_of:
                inputs[self.length_of[name]] = length
        if not self.lists:
            low, high = min(self.scalars.values()), max(self.scalars.values())
            for name in self.scalars:
                inputs[name] = self.rng.randint(low, max(high, low + 1))
        return inputs

    def _values(self, values: list[int], length: int) -> list[int]:
        """Between the least and the greatest, some of the user's own among them."""
        low, high = min(values, default=0), max(values, default=0)
        kept = _sorted_way(values)
        new = [
            self.rng.choice(values) if values and self.rng.random() < 0.5
            else self.rng.randint(low, high)
            for _ in range(length)
        ]  # fmt: skip
        return sorted(new, reverse=kept == "down") if kept else new

    def padded(self, inputs: Mapping[str, Value]) -> dict[str, Value]:
        changed = dict(inputs)
        for name, values in lists_of(inputs):
            more = [self.rng.choice(self.lists[name] or [1]) for _ in range(_PAST)]
            changed[name] = [*values, *more]
        return changed

    def shuffled(self, inputs: Mapping[str, Value]) -> dict[str, Value]:
        changed = dict(inputs)
        for name, values in lists_of(inputs):
            moved = list(values)
            for _ in range(_TRIES):  # another first number tells more
                self.rng.shuffle(moved)
                if moved[:1] != values[:1]:
                    break
            changed[name] = moved
        return changed

    def renumbered(self, inputs: Mapping[str, Value]) -> dict[str, Value]:
        """Other values for the scalars that are no lengths: a little less."""
        changed = dict(inputs)
        for name in self.loose_scalars:
            value = self.scalars[name]
            changed[name] = value - 1 if value > 1 else value + 1
        return changed

    def wide(self, inputs: Mapping[str, Value]) -> dict[str, Value]:
        """Values of both signs."""
        changed = dict(inputs)
        for name, values in lists_of(inputs):
            reach = max([9, *map(abs, self.lists[name])])
            changed[name] = [self.rng.randint(-reach, reach - 1) for _ in values]
        if not self.lists:
            reach = max([9, *map(abs, self.scalars.values())])
            for name in self.scalars:
                changed[name] = self.rng.randint(1, reach - 1)
        return changed


def _lengths(lists: Mapping[str, list[int]], scalars: Mapping[str, int]) -> dict[str, str]:
    """For each list the scalar that is its length, where there is one of that value."""
    found = {}
    for name, values in lists.items():
        same = [s for s, value in scalars.items() if value == len(values)]
        if same:
            found[name] = next((s for s in same if s in ("n", "m", "p", "q")), same[0])
    return found


def _sorted_way(values: list[int]) -> str:
    """Lists given in order stay in order: a task may rest on that."""
    if len(values) < 4:
        return ""
    if values == sorted(values):
        return "up"
    return "down" if values == sorted(values, reverse=True) else ""
