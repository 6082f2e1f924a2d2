"""A launch: where the program's memory lies and which words load it.

Everything here is translation. Values the caller gave become words of memory, and words of
memory that the network read back become values.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from vgpu import isa
from vgpu.errors import InputError
from vgpu.geometry import Geometry
from vgpu.program import PARAM_BASE, Param, Program

TYPES: Final = {
    "i8": (1, True), "u8": (1, False), "i16": (2, True), "u16": (2, False),
    "i32": (4, True), "u32": (4, False), "i64": (8, True), "u64": (8, False), "f32": (4, False),
    "bool": (1, False),
}  # fmt: skip
ALIGNMENT: Final = 8
LARGEST_STACK: Final = 4096
"""Bytes of a thread, where the program takes what memory is left."""
V = TypeVar("V")
Words = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Array:
    """Elements with a type (i8 u8 i16 u16 i32 u32 i64 u64, or f32 as IEEE bit patterns)."""

    type: str
    values: Sequence[int]

    def to_bytes(self, name: str) -> bytes:
        size, is_signed = element(self.type, name)
        values = elements(self.values, name)
        low = -(1 << (8 * size - 1)) if is_signed else 0
        high = (1 << (8 * size - int(is_signed))) - 1
        for value in values:
            if not low <= value <= high:
                raise InputError(f"{name}: {value} does not fit {self.type} ({low} to {high})")
        return b"".join(v.to_bytes(size, "little", signed=is_signed) for v in values)

    @classmethod
    def from_bytes(cls, type: str, data: bytes) -> Array:
        size, is_signed = TYPES[type]
        parts = (data[i : i + size] for i in range(0, len(data), size))
        return cls(type, [int.from_bytes(p, "little", signed=is_signed) for p in parts])


def kind_of(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


def whole(value: object, name: str) -> int:
    """`value` as an int: whatever says it is one, numpy's too. Raises InputError."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        shown = f"{value!r} " if isinstance(value, float | str) else ""
        raise InputError(
            f"{name}: expected a whole number, got {shown}({kind_of(value)})"
        ) from None


def elements(values: object, name: str) -> list[int]:
    """A list, tuple, range or one-dimensional array as ints. Raises InputError."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InputError(f"{name}: expected one dimension, got {values.ndim}: use .ravel()")
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise InputError(f"{name}: expected a list of whole numbers, got {kind_of(values)}")
    return [whole(value, f"{name}[{i}]") for i, value in enumerate(values)]


def element(type: str, name: str) -> tuple[int, bool]:
    """Size in bytes and signedness of an element type. Raises InputError for an unknown one."""
    if not isinstance(type, str) or type not in TYPES:
        raise InputError(f"{name}: unknown type {type!r}; types are {' '.join(TYPES)}")
    return TYPES[type]


Value = int | Sequence[int] | Array | npt.NDArray[np.integer[Any]]
Dim = int | Sequence[int]


def dim3(value: Dim, name: str) -> tuple[int, int, int]:
    """`4` or `(4, 2)` as three sizes. Raises InputError unless all are at least 1."""
    sizes = (
        elements(value, name)
        if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)
        else [whole(value, name)]
    )
    if not 1 <= len(sizes) <= 3 or any(not 1 <= size < 1 << 31 for size in sizes):
        raise InputError(f"{name}: expected one to three sizes from 1 to 2**31 - 1, got {value}")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def blocks(grid: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    """The blocks of a grid, x fastest."""
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                yield x, y, z


@dataclass
class Plan:
    """What the load tokens write and what the read tokens fetch.

    `memory` is the initial image in bytes from address 0; `reads` gives name → (address, type,
    count) in the order of the outputs; each thread has `local_bytes` from `local_base` on; the
    launch uses the addresses below `end`.
    """

    memory: bytearray
    reads: dict[str, tuple[int, str, int]] = field(default_factory=dict)
    local_base: int = 0
    local_bytes: int = 0
    end: int = 0


def plan(
    program: Program,
    inputs: Mapping[str, Value],
    outputs: Mapping[str, int | tuple[str, int]],
    *,
    shared: int,
    threads: int,
    geometry: Geometry,
) -> Plan:
    """Lay out memory for one launch. Raises InputError when names or sizes are wrong."""
    arguments = _match(program, inputs, "input")
    wanted = _match(program, outputs, "output")
    local = program.local_bytes
    least = _lay_out(program, arguments, wanted, shared, threads, local, geometry)
    left = (geometry.memory_bytes - least.end) // threads // ALIGNMENT * ALIGNMENT
    more = min(left, LARGEST_STACK - local)
    if not program.room_word or more <= 0:
        return least
    return _lay_out(program, arguments, wanted, shared, threads, local + more, geometry)


def _lay_out(
    program: Program,
    arguments: Mapping[str, Value],
    wanted: Mapping[str, int | tuple[str, int]],
    shared: int,
    threads: int,
    local: int,
    geometry: Geometry,
) -> Plan:
    """The plan in which each thread has `local` bytes."""
    fixed = max(program.shared_base, PARAM_BASE + program.param_bytes)
    at = _align(fixed + program.shared_bytes + shared)
    _fits(program, at + local * threads, geometry, "shared memory or smaller stacks")
    result = Plan(memory=bytearray(_align(fixed)), local_base=at, local_bytes=local)
    at = _align(at + local * threads)
    image = result.memory
    image[program.data_base : program.data_base + len(program.data)] = program.data
    if program.room_word:
        image[program.room_word : program.room_word + 4] = local.to_bytes(4, "little")
    for param in program.params:
        value, want = arguments.get(param.name), wanted.get(param.name)
        if not param.pointer:
            if want is not None:
                raise InputError(f"{param.name} is a scalar parameter: it cannot be read back")
            _put(image, param, _scalar(param, value))
            continue
        data, type, count = _array(param, value, want, geometry.memory_bytes)
        if want is not None or value is None:
            result.reads[param.name] = (at, type, count)
        _put(image, param, at.to_bytes(param.size, "little"))
        if any(data):
            image.extend(bytes(at - len(image)))
            image.extend(data)
        at = _align(at + max(len(data), 1))
    _fits(program, at, geometry, "arrays")
    result.end = at
    return result


def _fits(program: Program, size: int, geometry: Geometry, what: str) -> None:
    if size > geometry.memory_bytes:
        raise InputError(
            f"{program.kernel} needs {size:,} bytes of memory with these arguments; "
            f"the machine holds {geometry.memory_bytes:,}: use less in {what}"
        )


def _align(address: int) -> int:
    return (address + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def _put(image: bytearray, param: Param, data: bytes) -> None:
    at = PARAM_BASE + param.offset
    image[at : at + param.size] = data.ljust(param.size, b"\0")


def _match(program: Program, given: Mapping[str, V], what: str) -> dict[str, V]:
    """Parameters by name, or by position when the key is a number from 1."""
    if not isinstance(given, Mapping):
        raise InputError(f"{what}s: expected names with values, got {kind_of(given)}")
    names = [p.name for p in program.params]
    result: dict[str, V] = {}
    for key, value in given.items():
        if not isinstance(key, str):
            raise InputError(f'{what} {key!r}: expected a name, or a position as text, as "1"')
        name = key
        if key.isdigit() and key.isascii() and key not in names:
            if not 1 <= int(key) <= len(names):
                raise InputError(f"{what} {key}: {program.kernel} has {len(names)} parameters")
            name = names[int(key) - 1]
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            listed = ", ".join(names) or "none"
            raise InputError(
                f"{what} {key}: {program.kernel} has no such parameter (it has: {listed}){hint}"
            )
        if name in result:
            raise InputError(f"{what} {key}: parameter {name} was given twice")
        result[name] = value
    return result


def _scalar(param: Param, value: Value | None) -> bytes:
    if value is None:
        raise InputError(f"scalar parameter {param.name} has no value: give it with --set")
    if isinstance(value, Array):
        data = value.to_bytes(param.name)
        if len(data) != param.size:
            raise InputError(
                f"{param.name} is a parameter of {param.size} bytes by value: "
                f"{len(value.values)} x {value.type} are {len(data)}"
            )
        return data
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        raise InputError(f"{param.name} is a scalar parameter: give one value, not an array")
    value = whole(value, param.name)
    sizes = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}
    if param.size not in sizes:
        raise InputError(
            f"{param.name} is a structure of {param.size} bytes by value: give its fields as an "
            "Array; the command line takes plain values only"
        )
    type = param.type or sizes[param.size]
    if type[0] in "iu" and TYPES[type][0] == param.size:
        # Either reading of the bits is accepted: 4294967295 and -1 are the same u32.
        bits = 8 * param.size
        if not -(1 << (bits - 1)) <= value < 1 << bits:
            raise InputError(f"{param.name}: {value} does not fit {type}")
        return (value & ((1 << bits) - 1)).to_bytes(param.size, "little")
    return Array(type, [value]).to_bytes(param.name)


def _array(
    param: Param, value: Value | None, want: int | tuple[str, int] | None, most: int
) -> tuple[bytes, str, int]:
    """(initial bytes, element type, element count) of a pointer parameter, `most` bytes long."""
    declared = param.type or "i32"
    want = _wanted(param.name, want)
    if hasattr(value, "__index__") and not isinstance(value, np.ndarray):
        raise InputError(f"{param.name} is an array parameter: give it with --in, not --set")
    if value is None:
        type, count = (
            (declared, 1 if want is None else want) if not isinstance(want, tuple) else want
        )
        size, _ = element(type, param.name)
        _count(param, count, size, most)
        return bytes(size * count), type, count
    array = value if isinstance(value, Array) else Array(declared, elements(value, param.name))
    if isinstance(want, tuple) and want[0] != array.type:
        raise InputError(f"{param.name} is {array.type} going in and {want[0]} coming out")
    array = Array(array.type, elements(array.values, param.name))
    count = len(array.values) if want is None else want if isinstance(want, int) else want[1]
    _count(param, count, element(array.type, param.name)[0], most)
    data = array.to_bytes(param.name)
    return data.ljust(count * TYPES[array.type][0], b"\0"), array.type, count


def _wanted(name: str, want: object) -> int | tuple[str, int] | None:
    """A count, or a type and a count, of an output."""
    if want is None:
        return None
    if isinstance(want, tuple | list):
        if len(want) != 2 or not isinstance(want[0], str):
            raise InputError(f"output {name}: expected a count or (type, count), got {want!r}")
        return want[0], whole(want[1], f"output {name}")
    return whole(want, f"output {name}")


def _count(param: Param, count: int, size: int, most: int) -> None:
    if count < 1:
        raise InputError(f"{param.name}: expected a count of at least 1, got {count}")
    if count * size > most:
        raise InputError(
            f"{param.name}: {count:,} elements are more than the machine's {most:,} bytes of memory"
        )


def special_rows(
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    used: set[int],
    local: tuple[int, int],
    geometry: Geometry,
) -> dict[int, int]:
    """Special registers that are the same for every block: row → value, only those `used`.

    `local` is the base of the stacks and the bytes of each. The block's own number changes with
    each block and is written by the runtime.
    """
    values: dict[tuple[int, int], int] = {}
    for axis in range(3):
        values[isa.SPECIALS["%ntid.x"] + axis, 0] = block[axis]
        values[isa.SPECIALS["%nctaid.x"] + axis, 0] = grid[axis]
    x, y, z = block
    for thread in range(x * y * z):
        position = (thread % x, thread // x % y, thread // (x * y))
        for axis in range(3):
            values[isa.SPECIALS["%tid.x"] + axis, thread] = position[axis]
        values[isa.SPECIALS["%local"], thread] = local[0] + local[1] * thread
        values[isa.SPECIALS["%laneid"], thread] = thread % geometry.lanes
        values[isa.SPECIALS["%warpid"], thread] = thread // geometry.lanes
    return {
        geometry.special_row(index, thread): value
        for (index, thread), value in values.items()
        if index in used
    }


def used_specials(program: Program) -> set[int]:
    decoded = (isa.decode(word) for word in program.code)
    return {i.b for i in decoded if i is not None and i.op == "s2r"}


def memory_words(image: bytes) -> tuple[Words, Words]:
    """Addresses and values of the words of an image that are not zero."""
    padded = bytes(image).ljust(-(-len(image) // 4) * 4, b"\0")
    values = np.frombuffer(padded, dtype="<u4").astype(np.int64)
    where = np.flatnonzero(values)
    return where * 4, values[where]
