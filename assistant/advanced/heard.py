"""A task as a read-out reads it: the message, with the kernel's parameters by fixed names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.advanced.task import SMALL, Task, Value
from assistant.router.numbers import Item, read

ARRAYS, LENGTHS, SCALARS = ("a", "b", "c", "d"), ("n", "m", "p", "q"), ("k", "x", "y", "z")
KINDS = (*ARRAYS, *LENGTHS, *SCALARS)


@dataclass(frozen=True)
class Parameter:
    """Where a parameter of the kernel stands in the text; `kind` is its fixed name."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Heard:
    """`names` gives for each fixed name that of the task's signature."""

    text: str
    places: tuple[Parameter, ...]
    names: Mapping[str, str]


def heard(task: Task) -> Heard:
    """The task's message on one line; lists and large numbers are replaced by their parameters'
    fixed names, small ones stay, as they may be words of the task."""
    names = _names(task)
    reading = read(task.question)
    text = "".join(c if c.isprintable() else " " for c in reading.text)
    said, places, end = "", [], 0
    for item in reading.items:
        name = _name_of(item, task.inputs, names)
        if name is None:
            continue
        said += text[end : item.start]
        small = item.kind == "scalar" and abs(item.numbers[0].value or 0) <= SMALL
        written = text[item.start : item.end] if small else name
        places.append(Parameter(name, len(said), len(said) + len(written)))
        said, end = said + written, item.end
    return Heard(said + text[end:], tuple(places), names)


def _names(task: Task) -> dict[str, str]:
    """By the kinds of the parameters and their order: the lists, their lengths, other numbers."""
    found: dict[str, str] = {}
    lengths: dict[int, str] = {}
    scalars = iter(SCALARS)
    arrays = iter(ARRAYS)
    own = set(task.inputs) <= set(KINDS)
    for name, value in task.inputs.items():
        if own:
            found[name] = name
        elif isinstance(value, list):
            if fixed := next(arrays, None):
                found[fixed] = name
            lengths.setdefault(len(value), LENGTHS[min(len(lengths), len(LENGTHS) - 1)])
        elif value in lengths and lengths[value] not in found:
            found[lengths[value]] = name
        elif fixed := next(scalars, None):
            found[fixed] = name
    return found


def _name_of(item: Item, inputs: Mapping[str, Value], names: Mapping[str, str]) -> str | None:
    """The fixed name of the parameter that holds what `item` is."""
    values = [number.value for number in item.numbers]
    wanted = values[0] if item.kind == "scalar" else values
    return next((fixed for fixed, name in names.items() if inputs[name] == wanted), None)
