"""The data of a message as the arguments of a kept kernel, by the places of the message.

Lists go to the kernel's arrays in their order, each with its length, other numbers to its other
parameters. How many and of which kind has to fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.advanced.saved import Saved
from assistant.advanced.signature import OUT, Parameter
from assistant.advanced.task import COLUMNS, LENGTHS, ROWS, Task, Value, said
from assistant.router.numbers import read
from assistant.router.places import Place, message
from vgpu.errors import InputError

_RANGES = {
    "i32": (-(1 << 31), (1 << 31) - 1), "u32": (0, (1 << 32) - 1),
    "i64": (-(1 << 63), (1 << 63) - 1), "u64": (0, (1 << 64) - 1),
}  # fmt: skip


def task_of(kept: Saved, question: str) -> Task:
    """The kernel's task on the data of a message. Raises InputError when they do not fit."""
    reading = read(re.sub(rf"(?<!\w){kept.name}(?!\w)", "it", question))
    arrays, scalars = kept.signature.arrays, _free(kept)
    lists, numbers = _given(message(reading).places, len(arrays))
    if len(numbers) > len(scalars):  # "the first one": words are no data where digits are enough
        numbers = [p for p in numbers if any(c.isdigit() for c in p.text)]
    if (len(lists), len(numbers)) != (len(arrays), len(scalars)):
        raise InputError(
            f"{kept.name} takes {_counted(len(arrays), len(scalars))}; "
            f"the message gives {_counted(len(lists), len(numbers))}"
        )
    inputs = dict(_bound(kept, lists, numbers))
    return Task(question, said(reading, inputs), kept.signature, inputs, kept.extent)


def _free(kept: Saved) -> list[Parameter]:
    """The numbers that a message has to give: lengths come with their lists."""
    lengths = (*LENGTHS, ROWS, COLUMNS) if kept.signature.arrays else ()
    return [p for p in kept.signature.scalars if p.name not in lengths]


def _given(places: Sequence[Place], arrays: int) -> tuple[list[Place], list[Place]]:
    """Lists and numbers of the message, in order. A short run without brackets is a list only
    where the kernel takes more lists than there are in brackets."""
    numbers = [p for p in places if p.kind == "number"]
    starts = {p.spans[0] for p in numbers}
    lists = [p for p in places if p.kind in ("list", "matrix")]
    certain = [p for p in lists if p.spans[0] not in starts]
    runs = [p for p in lists if p.spans[0] in starts]
    chosen = certain + runs[: max(0, arrays - len(certain))]
    if arrays == len(chosen) + 1 and not runs and len(numbers) == 1:  # a list of one number
        chosen, numbers = [*chosen, numbers[0]], []
    taken = {span for p in chosen for span in p.spans}
    chosen.sort(key=lambda p: p.spans[0])
    return chosen, [p for p in numbers if p.spans[0] not in taken]


def _bound(
    kept: Saved, lists: Sequence[Place], numbers: Sequence[Place]
) -> Iterator[tuple[str, Value]]:
    """(parameter, value) in the kernel's order."""
    rest, loose = list(lists), list(numbers)
    free = {p.name for p in _free(kept)}
    lengths: list[int] = []
    rows: list[list[int]] = []
    for at, parameter in enumerate(kept.signature.parameters):
        if parameter.name == OUT:
            continue
        if parameter.name in free:
            place = loose.pop(0)
            yield parameter.name, _fitting(kept, parameter, _whole(place))
        elif parameter.pointer:
            rows = _rows(rest.pop(0))
            values = [_fitting(kept, parameter, v) for row in rows for v in row]
            following = kept.signature.parameters[at + 1].name
            if following not in (*LENGTHS, ROWS) and lengths and len(values) not in lengths:
                raise InputError(
                    f"{kept.name}: {parameter.name} has {len(values)} numbers, expected "
                    f"{lengths[-1]}, as many as the list before"
                )
            yield parameter.name, values
        else:
            width = len(rows[0]) if rows else 0
            size = {ROWS: len(rows), COLUMNS: width}.get(parameter.name, len(rows) * width)
            lengths.append(size if parameter.name not in (ROWS, COLUMNS) else len(rows) * width)
            yield parameter.name, size


def _rows(place: Place) -> list[list[int]]:
    value = _whole(place)
    if not isinstance(value, list):
        return [[value]]
    return value if place.kind == "matrix" else [value]


def _whole(place: Place) -> int | list:  # type: ignore[type-arg]
    if place.value is None:
        raise InputError(f'"{place.text}" is not a whole number: kernels take whole numbers')
    return place.value  # type: ignore[no-any-return]


def _fitting(kept: Saved, parameter: Parameter, value: int) -> int:
    least, most = _RANGES[parameter.element]
    if not least <= value <= most:
        raise InputError(f"{kept.name}: {parameter.name}: {value:,} does not fit {parameter.type}")
    return value


def _counted(lists: int, numbers: int) -> str:
    """ "1 list and 2 numbers" """
    parts = [
        f"{count} {word}{'s' if count != 1 else ''}"
        for count, word in ((lists, "list"), (numbers, "number"))
        if count
    ]
    return " and ".join(parts) or "no number"
