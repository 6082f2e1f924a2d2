"""The prebuilt kernels: what each computes, and how a call becomes a launch.

Everything here is translation. A call's numbers are flattened and counted, never combined; the
figures come from the machine. `codegen/kernels/catalog.yaml` describes the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, cast

import yaml

from codegen import writing
from vgpu import Program
from vgpu.errors import InputError

# Ten times as fast where PyYAML came with libyaml.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
KERNELS: Final = Path(__file__).parent / "kernels"
LOWEST: Final = -(2**63)
HIGHEST: Final = 2**63 - 1
MOST_LANES: Final = 32
MOST_SHOWN: Final = 24  # characters of a wrong value in a message
OK, OVERFLOWS, UNDEFINED, BEYOND = 0, 1, 2, 3

Matrix = Sequence[Sequence[int]]
Value = int | str | Sequence[int] | Matrix
Result = int | list[int] | list[list[int]]
Sizes = tuple[int, ...]
Dims = tuple[int, int, int]


def _power_of_two(n: int) -> int:
    """The least power of two that is at least n, within the lanes: 1 for an empty list."""
    return min(1 << max(n - 1, 0).bit_length(), MOST_LANES)


def _tile(rows: int, columns: int) -> Dims:
    """A thread an element while the lanes last, whole rows of up to eight first."""
    x = min(columns, 8)
    return (x, min(rows, MOST_LANES // x), 1)


# Block shapes that a kernel can ask for, from the sizes of its arguments.
BLOCKS: Final[dict[str, Callable[[Mapping[str, int]], Dims]]] = {
    "each": lambda sizes: (min(max(sizes["n"], 1), MOST_LANES), 1, 1),
    "each_and_more": lambda sizes: (min(sizes["n"] // 4 * 4 + 4, MOST_LANES), 1, 1),
    "halves": lambda sizes: (_power_of_two(sizes["n"]), 1, 1),
    "pairs": lambda sizes: (_power_of_two((sizes["n"] + 1) // 2), 1, 1),
    "tile": lambda sizes: _tile(sizes["rows"], sizes["columns"]),
    "square": lambda sizes: _tile(max(sizes["n"] - 1, 1), max(sizes["n"] - 1, 1)),
}


@dataclass(frozen=True)
class Arg:
    """An argument of a call. `kind` is int, list (of ints), matrix (rows of ints) or digits (a
    list of ints, or text like 0xff)."""

    name: str
    kind: str
    doc: str


@dataclass(frozen=True)
class Launch:
    """What `vgpu.Machine.run` takes. `shape` is that of the result: () is a number. The machine
    says itself how long the result is when `outputs` has a `count`."""

    inputs: dict[str, int | list[int]]
    outputs: dict[str, int]
    grid: Dims
    block: Dims
    shape: Sizes = ()

    def result(self, outputs: Mapping[str, Sequence[int]]) -> Result:
        """`out` as it was read back, in the shape of the result."""
        out = list(outputs["out"])
        if "count" in self.outputs:
            return out[: outputs["count"][0]]
        if not self.shape:
            return out[0]
        if len(self.shape) == 1:
            return out[: self.shape[0]]
        rows, columns = self.shape
        return [out[i * columns : (i + 1) * columns] for i in range(rows)]


@dataclass(frozen=True)
class Kernel:
    """A prebuilt kernel. Its parameter `status` tells whether `out` may be believed."""

    name: str
    doc: str
    args: tuple[Arg, ...]
    sizes: Mapping[str, tuple[str, ...]]
    shape: tuple[str | int, ...]
    block: str | int
    undefined: str = "no result"
    limits: str = "an argument is beyond what it takes"
    rounds: str = ""  # "down" or "up" when the result is rounded to a whole number
    room: int = 0  # most numbers of a result whose length the machine tells
    marks: str = ""  # the list argument whose length the machine counts
    prefix: str = ""  # what digits may begin with when they are given as text
    written: str = ""  # how the result is written when not as plain numbers
    example: tuple[Any, ...] = ()

    @property
    def result(self) -> str:
        """The kind of the result: int, list or matrix."""
        return ("int", "list", "matrix")[1 if self.room else len(self.shape)]

    @property
    def signature(self) -> str:
        return f"{self.name}({', '.join(arg.name for arg in self.args)})"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the CUDA parameters in order; the last is status."""
        marks, count = ("marks",) * bool(self.marks), ("count",) * bool(self.room)
        return (*(arg.name for arg in self.args), *marks, *self.sizes, "out", *count, "status")

    def type_of(self, parameter: str) -> str:
        """The element type of a CUDA parameter: numbers have 64 bits, what counts them 32."""
        if parameter == "marks":
            return "i8"
        return "i32" if parameter in {*self.sizes, "count", "status"} else "i64"

    @cached_property
    def source(self) -> Path:
        return KERNELS / f"{self.name}.cu"

    def program(self) -> Program:
        """The shipped program. Raises InputError when it is missing or damaged."""
        return _load(KERNELS / f"{self.name}.vgpu")

    def explain(self, status: int) -> str | None:
        """Why `out` means nothing, or None when it may be believed."""
        reasons = {
            OVERFLOWS: "the result does not fit 64 bits",
            UNDEFINED: self.undefined,
            BEYOND: f"out of range: it takes {self.limits}",
        }
        return None if status == OK else reasons.get(status, f"unknown status {status}")

    def write(self, result: Result) -> str:
        """The result as people write it: 0xff, 2626 (in base 7), 4:05:30, or plain numbers."""
        return writing.write(self.written, result)

    def bind(self, args: Sequence[Value] | Mapping[str, Value]) -> Launch:
        """A launch for the arguments of a call, given in order or by name.

        Raises InputError when there are too many or too few, or a kind, a range or the sizes
        are wrong. An empty list is passed as one unused element, and its length as 0.
        """
        given = self._named(args)
        inputs: dict[str, int | list[int]] = {}
        measures: dict[str, int] = {}
        for arg in self.args:
            flat = self._flatten(arg, given[arg.name], measures)
            inputs[arg.name] = flat if isinstance(flat, int) else flat or [0]
        sizes = {size: self._agree(measures, which) for size, which in self.sizes.items()}
        shape = tuple(size if isinstance(size, int) else sizes[size] for size in self.shape)
        if self.marks:
            inputs["marks"] = _marks(given[self.marks])
        count = self.room or math.prod(shape)
        told = {"count": 1} if self.room else {}
        threads = self.block
        return Launch(
            inputs={**inputs, **sizes},
            outputs={"out": max(count, 1), **told, "status": 1},
            grid=(1, 1, 1),
            block=(threads, 1, 1) if isinstance(threads, int) else BLOCKS[threads](sizes),
            shape=shape,
        )

    def _named(self, args: Sequence[Value] | Mapping[str, Value]) -> dict[str, Value]:
        names = [arg.name for arg in self.args]
        if not isinstance(args, Mapping):
            if len(args) != len(names):
                raise InputError(
                    f"{self.signature}: expected {len(names)} arguments, got {len(args)}"
                )
            return dict(zip(names, args, strict=True))
        if set(args) != set(names):
            got = ", ".join(map(str, args)) or "none"
            raise InputError(f"{self.signature}: expected these arguments, got {got}")
        return dict(args)

    def _flatten(self, arg: Arg, value: Value, measures: dict[str, int]) -> int | list[int]:
        """The numbers of an argument in one row; notes how many there are in `measures`."""
        where = f"{self.signature}: {arg.name}"
        if arg.kind == "int":
            return _integer(value, where)
        if arg.kind == "digits" and isinstance(value, str):
            value = writing.read_digits(value, where, self.prefix)
        if not isinstance(value, Sequence) or isinstance(value, str):
            kind = "list of digits" if arg.kind == "digits" else arg.kind
            raise InputError(f"{where} must be a {kind}, not {_short(value)}")
        if arg.kind in ("list", "digits"):
            measures[f"{arg.name}.length"] = len(value)
            return [_integer(item, where) for item in value]
        rows = [row for row in value if isinstance(row, Sequence) and not isinstance(row, str)]
        widths = {len(row) for row in rows}
        if len(rows) != len(value) or len(widths) != 1 or 0 in widths:
            raise InputError(f"{where} must be a matrix: rows of the same length, at least 1")
        measures[f"{arg.name}.rows"] = len(rows)
        measures[f"{arg.name}.columns"] = len(rows[0])
        return [_integer(item, where) for row in rows for item in row]

    def _agree(self, measures: Mapping[str, int], which: tuple[str, ...]) -> int:
        """The one number that all these measures have."""
        first = measures[which[0]]
        for other in which[1:]:
            if measures[other] != first:
                what, whose = which[0].split("."), other.split(".")
                raise InputError(
                    f"{self.signature}: the {what[1]} of {what[0]} ({first}) and the {whose[1]} "
                    f"of {whose[0]} ({measures[other]}) must be equal"
                )
        return first


def _integer(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"{where} must hold whole numbers, not {_short(value)}")
    if not LOWEST <= value <= HIGHEST:
        raise InputError(f"{where}: {_short(value)} does not fit 64 bits ({LOWEST} to {HIGHEST})")
    return value


def _marks(value: Value) -> list[int]:
    """A 1 for every element of a list, then zeros for a whole warp: nothing is counted here."""
    return [*(1 for _ in cast("Sequence[int]", value)), *[0] * MOST_LANES]


def _short(value: object) -> str:
    """A value for a message: a long one keeps its beginning and its end."""
    text = repr(value)
    if len(text) <= MOST_SHOWN:
        return text
    half = MOST_SHOWN // 2
    return f"{text[:half]}...{text[-half:]} ({len(text)} characters)"


@lru_cache
def _load(path: Path) -> Program:
    try:
        return Program.load(path)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: cannot load the prebuilt kernel ({error}); "
            "make it again with: python -m codegen.build_kernels"
        ) from None


def forget_programs() -> None:
    """Loads programs anew the next time: they have been made again."""
    _load.cache_clear()


@lru_cache
def catalog() -> dict[str, Kernel]:
    """The prebuilt kernels by name, in the order of catalog.yaml."""
    path = KERNELS / "catalog.yaml"
    records: dict[str, dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    return {name: _kernel(name, record) for name, record in records.items()}


_PLAIN: Final = ("undefined", "limits", "rounds", "room", "marks", "prefix", "written")


def _kernel(name: str, record: dict[str, Any]) -> Kernel:
    """Raises InputError for a key that the catalogue does not have."""
    known = {"doc", "args", "sizes", "result", "block", "example", *_PLAIN}
    if unknown := set(record) - known:
        raise InputError(f"catalog.yaml: {name}: unknown key {min(unknown)}; keys are {known}")
    return Kernel(
        name=name,
        doc=record["doc"],
        args=tuple(Arg(*arg) for arg in record["args"]),
        sizes={size: tuple(which) for size, which in record.get("sizes", {}).items()},
        shape=tuple(record.get("result", ())),
        block=record.get("block", 1),
        example=tuple(record["example"]),
        **{key: record[key] for key in _PLAIN if key in record},
    )
