"""`--in`, `--out` and `--set`: text from the command line to typed kernel arguments.

Every function raises `InputError` whose one line says what was expected.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.nearest import did_you_mean
from vgpu.errors import InputError

if TYPE_CHECKING:
    from vgpu.program import Param

INTEGERS = {f"{sign}{bits}": (sign, bits) for sign in "iu" for bits in (8, 16, 32, 64)}
TYPES = (*INTEGERS, "f32")
_HEAD = re.compile(r"(?P<name>[A-Za-z_]\w*|[0-9]+)(?::(?P<type>\w+))?=(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class Given:
    """One option as typed: a parameter's name or 1-based position, a type if said, the text."""

    option: str
    name: str
    type: str | None
    text: str

    @property
    def where(self) -> str:
        kind = f":{self.type}" if self.type else ""
        return f"{self.option} {self.name}{kind}={self.text}"


@dataclass(frozen=True)
class Arguments:
    """Kernel arguments by parameter name: `arrays` and `scalars` go in, `outputs` come back."""

    arrays: dict[str, tuple[str, list[int]]] = field(default_factory=dict)
    scalars: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, tuple[str, int]] = field(default_factory=dict)


def split(option: str, text: str) -> Given:
    """`NAME[:TYPE]=VALUE` into its parts."""
    match = _HEAD.fullmatch(text.strip())
    if not match:
        value = {"--in": "V,V,...", "--out": "COUNT", "--set": "V"}[option]
        raise InputError(f'{option} "{text}": expected NAME[:TYPE]={value}')
    kind = match["type"]
    if kind is not None and kind not in TYPES:
        known = ", ".join(TYPES)
        raise InputError(f'{option} "{text}": unknown type "{kind}", expected one of {known}')
    return Given(option, match["name"], kind, match["value"].strip())


def value(kind: str, text: str, where: str) -> int:
    """One number of type `kind`: decimal, hexadecimal or negative; f32 gives its IEEE bits."""
    text = text.strip()
    if kind == "f32":
        return _float_bits(text, where)
    try:
        number = whole(text)
    except ValueError:
        shown = f'"{text}"' if text else "nothing"
        raise InputError(f"{where}: expected a whole number of type {kind}, got {shown}") from None
    sign, bits = INTEGERS[kind]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "i" else (0, (1 << bits) - 1)
    # Hexadecimal states bits: 0xFFFFFFFF is a way to write -1 as an i32.
    if sign == "i" and text[:2].lower() == "0x" and high < number < 1 << bits:
        number -= 1 << bits
    if not low <= number <= high:
        raise InputError(f"{where}: {number} does not fit {kind} ({low} to {high})")
    return number


def whole(text: str) -> int:
    """Decimal, or 0x, 0o, 0b. Python's underscores and other scripts' digits are no numbers here.
    Raises ValueError."""
    if not text.isascii() or "_" in text:
        raise ValueError(text)
    return int(text, 0) if re.fullmatch(r"[+-]?0[xXbBoO]\w+", text) else int(text, 10)


def _float_bits(text: str, where: str) -> int:
    try:
        if not text.isascii() or "_" in text:
            raise ValueError(text)
        return int.from_bytes(struct.pack("<f", float(text)), "little")
    except ValueError:
        raise InputError(f'{where}: expected a number of type f32, got "{text}"') from None
    except OverflowError:
        raise InputError(f"{where}: {text} does not fit f32") from None


def collect(
    params: Sequence[Param], ins: Iterable[str], outs: Iterable[str], sets: Iterable[str]
) -> Arguments:
    """Matches the options to the kernel's parameters and checks that every parameter has one."""
    arguments = Arguments()
    for text in ins:
        given = split("--in", text)
        param = _find(params, given, pointer=True)
        _once(param.name, arguments.arrays, given)
        kind = given.type or param.type or "i32"
        if not given.text:
            raise InputError(f"{given.where}: the list is empty, expected V,V,...")
        values = [value(kind, item, given.where) for item in given.text.split(",")]
        arguments.arrays[param.name] = (kind, values)
    for text in outs:
        given = split("--out", text)
        param = _find(params, given, pointer=True)
        _once(param.name, arguments.outputs, given)
        stored = arguments.arrays.get(param.name)
        kind = given.type or (stored[0] if stored else None) or param.type or "i32"
        arguments.outputs[param.name] = (kind, _count(given, stored))
    for text in sets:
        given = split("--set", text)
        param = _find(params, given, pointer=False)
        _once(param.name, arguments.scalars, given)
        arguments.scalars[param.name] = value(
            given.type or param.type or "i32", given.text, given.where
        )
    _complete(params, arguments)
    return arguments


def _count(given: Given, stored: tuple[str, list[int]] | None) -> int:
    try:
        count = whole(given.text)
    except ValueError:
        raise InputError(f'{given.where}: expected a count, got "{given.text}"') from None
    if count < 1:
        raise InputError(f"{given.where}: the count must be at least 1")
    if stored and count > len(stored[1]):
        raise InputError(f"{given.where}: --in gives only {len(stored[1])} elements")
    return count


def _find(params: Sequence[Param], given: Given, *, pointer: bool) -> Param:
    names = {param.name: param for param in params}
    if given.name.isdigit():
        position = int(given.name)
        if not 1 <= position <= len(params):
            raise InputError(
                f"{given.where}: the kernel has {len(params)} parameters, no number {position}"
            )
        param = params[position - 1]
    elif given.name in names:
        param = names[given.name]
    else:
        hint = did_you_mean(given.name, names)
        raise InputError(f'{given.where}: the kernel has no parameter "{given.name}"{hint}')
    if param.pointer and not pointer:
        raise InputError(f'{given.where}: "{param.name}" is an array, use --in or --out')
    if pointer and not param.pointer:
        raise InputError(f'{given.where}: "{param.name}" is a scalar, use --set')
    return param


def _once(name: str, seen: Iterable[str], given: Given) -> None:
    if name in seen:
        raise InputError(f'{given.where}: {given.option} for "{name}" is given twice')


def _complete(params: Sequence[Param], arguments: Arguments) -> None:
    """With --in and no --out at all, arrays that are not named are outputs of one element;
    otherwise every array must be named."""
    guess = bool(arguments.arrays) and not arguments.outputs
    for param in params:
        if param.pointer:
            named = param.name in arguments.arrays or param.name in arguments.outputs
            if not named and not guess:
                raise InputError(
                    f'missing parameter "{param.name}": '
                    f"add --in {param.name}=V,V,... or --out {param.name}=COUNT"
                )
        elif param.name not in arguments.scalars:
            raise InputError(f'missing parameter "{param.name}": add --set {param.name}=V')


def byte_count(option: str, text: str) -> int:
    """`BYTES` for --shared."""
    try:
        size = whole(text)
    except ValueError:
        size = -1
    if size < 0:
        raise InputError(f'{option} "{text}": expected an integer, a number of bytes from 0')
    return size


def dimensions(option: str, text: str) -> tuple[int, int, int]:
    """`N`, `X,Y` or `X,Y,Z` for --grid and --block."""
    try:
        sizes = [whole(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise InputError(f'{option} "{text}": expected N, X,Y or X,Y,Z, each at least 1')
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z
