"""What lessons are made of: the pieces and the tasks of prompts/lessons, as data."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import prompts

# The files of pieces, by the kind of slot that they fill.
FILES = {
    "condition": "conditions", "value": "values", "relation": "relations",
    "combination": "combinations", "bin": "bins", "digit": "digits",
}  # fmt: skip
TASKS = ("one_number", "lists", "neighbours", "pairs", "scalars")
_WAYS = re.compile(r"\s\|\s")


@dataclass(frozen=True)
class Piece:
    """A condition, a value, … `ways` are the ways to say it, by their grammatical form; `values`
    what the data must be like, `most` how large a number of them may be."""

    kind: str
    name: str
    code: str
    first: str = ""
    consts: Mapping[str, str] = field(default_factory=dict)
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    values: frozenset[str] = frozenset()
    most: int | None = None
    ordered: bool = False
    place: bool = False
    size: str = ""


@dataclass(frozen=True)
class Slot:
    """`around` says between what a relation holds: neighbours, sorted, pairs, two."""

    kind: str
    optional: bool = False
    around: str = ""


@dataclass(frozen=True)
class Pattern:
    """A task with open slots. `forbidden` are fillings that it must not have; `sorted` is the way
    the list is sorted before, up or down; `weight` how often it is drawn."""

    name: str
    code: str
    slots: Mapping[str, Slot]
    consts: Mapping[str, str]
    say: Mapping[str, tuple[str, ...]]
    forbidden: tuple[Mapping[str, Any], ...]
    must: tuple[str, ...]
    notes: tuple[str, ...]
    values: frozenset[str]
    most: int | None
    output: str
    order_free: bool
    lists: int
    element: str
    simple: bool
    sorted: str
    weight: float


@functools.cache
def pieces(kind: str) -> tuple[Piece, ...]:
    """Every piece of a kind, in the order of its file."""
    records = _load(f"lessons/{FILES[kind]}.yaml")
    return tuple(_piece(kind, name, record) for name, record in records.items())


@functools.cache
def patterns() -> tuple[Pattern, ...]:
    """Every task of every file."""
    found = []
    for name in TASKS:
        records = _load(f"lessons/tasks/{name}.yaml")
        found += [_pattern(key, record) for key, record in records.items()]
    return tuple(found)


@functools.cache
def speech() -> Mapping[str, Any]:
    """How people ask."""
    return _load("lessons/speech.yaml")


def _load(name: str) -> dict[str, Any]:
    return dict(prompts.parsed(prompts.text(name)))


def ways(text: str | None) -> tuple[str, ...]:
    """The ways to say something, which a text holds parted by |."""
    return tuple(_WAYS.split(str(text).strip())) if text else ()


_WEIGHTS = (0.35, 1.0, 1.6)  # of tasks with no slot, one, more
_SAID = ("adj", "that", "after", "many", "one", "where", "by", "range")
_OWN = {"code", "first", "consts", "notes", "values", "most", "ordered", "place", "size", *_SAID}


def _piece(kind: str, name: str, record: Mapping[str, Any]) -> Piece:
    if unknown := set(record) - _OWN:
        raise ValueError(f"{kind} {name}: {', '.join(sorted(unknown))}")
    return Piece(
        kind, name, record["code"], record.get("first", ""), record.get("consts", {}),
        {form: ways(record[form]) for form in _SAID if form in record},
        ways(record.get("notes")), frozenset(str(record.get("values", "")).split()),
        record.get("most"), bool(record.get("ordered")), bool(record.get("place")),
        str(record.get("size", "")),
    )  # fmt: skip


def _pattern(name: str, record: Mapping[str, Any]) -> Pattern:
    return Pattern(
        name, record["code"], {key: _slot(said) for key, said in record.get("slots", {}).items()},
        record.get("consts", {}), {form: ways(said) for form, said in record["say"].items()},
        tuple(record.get("not", ())), ways(record.get("must")), ways(record.get("notes")),
        frozenset(str(record.get("values", "")).split()), record.get("most"),
        record.get("output", "out[0]"), bool(record.get("free", True)), record.get("lists", 1),
        record.get("element", "a[i]"), bool(record.get("simple")), record.get("sorted", ""),
        record.get("weight", _WEIGHTS[min(len(record.get("slots", ())), 2)]),
    )  # fmt: skip


def _slot(said: str) -> Slot:
    """Of "value", "maybe value", "relation pairs"."""
    words = said.split()
    optional = words[0] == "maybe"
    kind, *around = words[1:] if optional else words
    return Slot(kind, optional, " ".join(around))
