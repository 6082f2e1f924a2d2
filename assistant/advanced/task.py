"""A task of advanced mode: what is to be computed, on which data, which numbers come out.

The data of a message become parameters of the kernel. What the host reads has their names in the
place of the numbers, so a program cannot but take them as parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.advanced import extent as extents
from assistant.advanced import signature as signatures
from assistant.advanced.extent import Extent
from assistant.advanced.signature import OUT, Parameter, Signature
from assistant.router.numbers import Item, Number, Reading, read
from vgpu.errors import InputError

Value = int | list[int]
KERNEL = "answer"  # the kernel's name when nothing gives it one
MOST_CHARACTERS = 4000
MOST_NUMBERS = 2000
_ARRAYS = ("a", "b", "c", "d")
LENGTHS = ("n", "m", "p", "q")
ROWS, COLUMNS = "rows", "cols"  # of a matrix
_SCALARS = ("k", "x", "y", "z")
_INT, _LONG = 1 << 31, 1 << 63
# A number this small is as likely a word of the task ("3 consecutive values") as a datum; it is
# passed to the kernel, and stays in what the host reads.
SMALL = 10


@dataclass(frozen=True)
class Task:
    """`said` is the question on one line, with names for the data. `extent` is None where the
    host has to say which numbers of `out` are the result."""

    question: str
    said: str
    signature: Signature
    inputs: Mapping[str, Value]
    extent: Extent | None = None

    @property
    def data(self) -> str:
        """The inputs in a line for a person."""
        parts = [
            f"{name}[{len(value)}]" if isinstance(value, list) else f"{name} = {value}"
            for name, value in self.inputs.items()
        ]
        return ", ".join(parts)

    def record(self) -> dict[str, Any]:
        """What `of_answer` makes the task of again."""
        return {
            "said": self.said, "signature": str(self.signature), "inputs": dict(self.inputs),
        }  # fmt: skip


def of_record(record: Mapping[str, Any]) -> Task:
    """The task of a question file. Raises InputError when a field is wrong."""
    signature = signatures.parse(record["signature"])
    inputs = checked_inputs(signature, record["inputs"])
    extent = extents.parse(record["output"], [p.name for p in signature.scalars])
    return Task(record["task"], said(read(record["task"]), inputs), signature, inputs, extent)


def of_answer(record: Mapping[str, Any], question: str = "") -> Task:
    """The task of a `Task.record`. Raises InputError when it is none."""
    try:
        signature = signatures.parse(record["signature"])
        inputs = checked_inputs(signature, record["inputs"])
        return Task(question, str(record["said"]), signature, inputs)
    except (KeyError, TypeError, AttributeError):
        raise InputError("the answer's task was not kept: ask again") from None


def read_task(question: str) -> Task:
    """The task of a message: its lists become a, b, … of n, m, … numbers, others k, x, ….

    Raises InputError when there is no number in it, or one that cannot be a parameter.
    """
    if len(question) > MOST_CHARACTERS:
        raise InputError(
            f"the message has {len(question):,} characters; advanced mode takes at most "
            f"{MOST_CHARACTERS:,}"
        )
    reading = read(question)
    parameters, inputs = _parameters(reading)
    if not inputs:
        raise InputError(
            "there are no numbers in the message for a kernel to work on: give the data too"
        )
    wide = any(p.type == "long long" for p in parameters)
    parameters.append(Parameter(OUT, "long long" if wide else "int", pointer=True))
    return Task(question, said(reading, inputs), Signature(KERNEL, tuple(parameters)), inputs)


def checked_inputs(signature: Signature, given: Mapping[str, Any]) -> dict[str, Value]:
    """`given` in the order of the signature. Raises InputError when names or kinds do not fit."""
    wanted = [p for p in signature.parameters if p.name != OUT]
    names = {p.name for p in wanted}
    for name in given:
        if name not in names:
            raise InputError(f'{signature.name} has no parameter "{name}"')
    values: dict[str, Value] = {}
    for parameter in wanted:
        value = given.get(parameter.name)
        listed = isinstance(value, list) and all(type(v) is int for v in value)
        if not (listed if parameter.pointer else type(value) is int):
            kind = "a list of whole numbers" if parameter.pointer else "a whole number"
            raise InputError(f"{signature.name}: {parameter.name}: expected {kind}")
        values[parameter.name] = value  # type: ignore[assignment]
    return values


def _parameters(reading: Reading) -> tuple[list[Parameter], dict[str, Value]]:
    """The parameters that the numbers of a message need, and their values."""
    parameters: list[Parameter] = []
    inputs: dict[str, Value] = {}

    def add(name: str, value: Value) -> None:
        values = value if isinstance(value, list) else [value]
        wide = any(not -_INT <= v < _INT for v in values)
        if any(not -_LONG <= v < _LONG for v in values):
            raise InputError(f"{name}: a number does not fit 64 bits: {max(values, key=abs)}")
        listed = isinstance(value, list)
        parameters.append(Parameter(name, "long long" if wide else "int", listed, listed))
        inputs[name] = value

    lists = [item for item in reading.items if item.kind != "scalar"]
    if len(lists) > len(_ARRAYS) or sum(len(i.numbers) for i in lists) > MOST_NUMBERS:
        raise InputError(
            f"too much data: advanced mode takes {len(_ARRAYS)} lists, {MOST_NUMBERS:,} numbers"
        )
    lengths: dict[int, str] = {}
    for item, name in zip(lists, _ARRAYS, strict=False):
        add(name, [_whole(number) for number in item.numbers])
        if item.kind == "matrix" and ROWS not in inputs:
            add(ROWS, len(item.rows))
            add(COLUMNS, len(item.rows[0]))
        elif len(item.numbers) not in lengths:
            lengths[len(item.numbers)] = LENGTHS[len(lengths)]
            add(lengths[len(item.numbers)], len(item.numbers))
    for number, name in zip(_loose(reading), _SCALARS, strict=False):
        add(name, _whole(number))
    return parameters, inputs


def _loose(reading: Reading) -> list[Number]:
    """The numbers outside lists that are data: those in digits, once each; ordinals are not."""
    found = [i.numbers[0] for i in reading.of_kind("scalar")]
    found = [n for n in found if not n.ordinal and any(c.isdigit() for c in n.text)]
    values: dict[int | None, Number] = {}
    for number in found:
        values.setdefault(number.value, number)
    return list(values.values())


def _whole(number: Number) -> int:
    if number.value is None:
        raise InputError(f'"{number.text}" is not a whole number: kernels take whole numbers')
    return number.value


def said(reading: Reading, inputs: Mapping[str, Value]) -> str:
    """The message on one line; where data stand, their names."""
    text, end, parts = reading.text, 0, []
    for item in reading.items:
        name = _name_of(item, inputs)
        if name is None:
            continue
        written = text[item.start : item.end]
        small = isinstance(inputs[name], int) and abs(item.numbers[0].value or 0) <= SMALL
        parts += [text[end : item.start], written if small else name]
        end = item.end
    return one_line("".join([*parts, text[end:]]))


def _name_of(item: Item, inputs: Mapping[str, Value]) -> str | None:
    """The parameter that holds what `item` is."""
    values = [number.value for number in item.numbers]
    wanted = values[0] if item.kind == "scalar" else values
    return next((name for name, value in inputs.items() if value == wanted), None)


def one_line(text: str) -> str:
    """`text` without line ends, control characters and marks that a tokenizer might obey."""
    words = "".join(c if c.isprintable() else " " for c in text).split()
    return re.sub(r"<(?=[|/_a-zA-Z])", "< ", " ".join(words)).rstrip("\\ ")


def lists_of(inputs: Mapping[str, Value]) -> Sequence[tuple[str, list[int]]]:
    return [(name, value) for name, value in inputs.items() if isinstance(value, list)]
