"""A call made again with other numbers: "the same for 5, 6, 7", "and of 900?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.router.places import Place
from assistant.router.routed import Call

_RATES = ("p", "rate")  # arguments that are percentages


class Unlike(Exception):
    """The new numbers do not fit the call before; the text says how."""


@dataclass(frozen=True)
class _Leaf:
    """A number or list that the call before took from its message, by the way to it."""

    path: tuple[int, ...]
    name: str
    kind: str


def again(call: Call, places: Sequence[Place]) -> Call:
    """The call with `places` in the stead of the numbers that it was given. Raises Unlike.

    All numbers when there are as many; one alone takes the place of a percentage when it is one,
    else of the last number that is none.
    """
    for place in places:
        if place.value is None:
            raise Unlike(f"{place.text} is not a whole number")
    leaves = list(_leaves(call, ()))
    lists = [leaf for leaf in leaves if leaf.kind == "list"]
    numbers = [leaf for leaf in leaves if leaf.kind == "number"]
    new_lists = [p for p in places if p.kind == "list"]
    new_numbers = [p for p in places if p.kind == "number"]
    if len(new_lists) == 1 and not lists and len(new_lists[0].value) == len(numbers):
        return _with_values(call, numbers, new_lists[0].value, new_lists[0].spans)
    if not new_lists and len(new_numbers) > 1 and len(lists) == 1 and not numbers:
        values = [p.value for p in new_numbers]
        spans = tuple(span for p in new_numbers for span in p.spans)
        return _put(call, lists[0].path, values, spans)
    if len(places) != len(new_lists) + len(new_numbers) or len(new_lists) > len(lists):
        raise Unlike("the numbers are of another kind than those of the call before")
    for leaf, place in zip(lists, new_lists, strict=False):
        call = _put(call, leaf.path, place.value, place.spans)
    if len(new_numbers) == 1 and len(numbers) > 1:
        numbers = [_one_of(numbers, new_numbers[0])]
    if new_numbers and len(new_numbers) != len(numbers):
        raise Unlike(f"the call before took {len(numbers)} numbers, here are {len(new_numbers)}")
    for leaf, place in zip(numbers, new_numbers, strict=False):
        call = _put(call, leaf.path, place.value, place.spans)
    return call


def _leaves(call: Call, path: tuple[int, ...]) -> Iterator[_Leaf]:
    import codegen

    names = [arg.name for arg in codegen.catalog()[call.kernel].args]
    for index, (value, spans) in enumerate(zip(call.args, call.spans, strict=True)):
        at = (*path, index)
        if isinstance(value, Call):
            yield from _leaves(value, at)
        elif isinstance(value, list) and all(isinstance(v, int) for v in value):
            yield _Leaf(at, names[index], "list")
        elif isinstance(value, int) and spans and not names[index][-1].isdigit():
            yield _Leaf(at, names[index], "number")


def _one_of(numbers: Sequence[_Leaf], place: Place) -> _Leaf:
    rates = [leaf for leaf in numbers if leaf.name in _RATES]
    others = [leaf for leaf in numbers if leaf.name not in _RATES]
    return (rates if place.percent and rates else others or rates)[-1]


def _with_values(call: Call, leaves: Sequence[_Leaf], values: Sequence[int], spans: Any) -> Call:
    for leaf, value, span in zip(leaves, values, spans, strict=True):
        call = _put(call, leaf.path, value, (span,))
    return call


def _put(call: Call, path: Sequence[int], value: Any, spans: Any) -> Call:
    """The call with another argument at `path`."""
    index, rest = path[0], path[1:]
    inner = _put(call.args[index], rest, value, spans) if rest else value
    args = (*call.args[:index], inner, *call.args[index + 1 :])
    return replace(call, args=args, spans=(*call.spans[:index], spans, *call.spans[index + 1 :]))
