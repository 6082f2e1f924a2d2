"""Sparse matrices by row, as the native loops take them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vgpu.circuit.allocate import CARRIER
from vgpu.circuit.emit import Matrix

Ints = npt.NDArray[np.int32]
Shorts = npt.NDArray[np.uint16]
Floats = npt.NDArray[np.float32]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Compressed rows: row r holds entries start[r] to start[r + 1]."""

    start: Counts
    column: Ints
    value: Floats

    def __len__(self) -> int:
        return len(self.start) - 1

    def keys(self) -> list[bytes]:
        """What makes rows equal; empty for a row without weights."""
        column, value = self.column.tobytes(), self.value.tobytes()
        ends = (4 * self.start).tolist()
        return [column[a:b] + value[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]

    def take(self, numbers: npt.ArrayLike) -> Rows:
        """Some of the rows, in that order."""
        chosen = np.asarray(numbers, np.int64)
        counts = np.diff(self.start)[chosen]
        start = np.concatenate([[0], np.cumsum(counts)])
        entry = np.repeat(self.start[chosen] - start[:-1], counts) + np.arange(start[-1])
        return Rows(start, self.column[entry], self.value[entry])

    @property
    def filled(self) -> npt.NDArray[np.bool_]:
        return np.diff(self.start) > 0


def rows_of(matrix: Matrix) -> Rows:
    """The rows of a matrix, whose entries are sorted by row. Weights of zero are left out."""
    some = matrix.value != 0
    row, column, value = matrix.row[some], matrix.column[some], matrix.value[some]
    return Rows(np.searchsorted(row, np.arange(matrix.shape[0] + 1)), column, value)


def columns_of(matrix: Matrix) -> Rows:
    """The columns of a matrix, as rows."""
    order = np.lexsort((matrix.row, matrix.column))
    flipped = (matrix.column[order], matrix.row[order], matrix.value[order])
    return rows_of(Matrix(matrix.shape[::-1], *flipped))


def unique(rows: Rows) -> tuple[Rows, Ints]:
    """Different rows once, and which of them each row is; -1 for a row without weights."""
    seen: dict[bytes, int] = {}
    first: list[int] = []
    which = np.full(len(rows), -1, np.int32)
    for number, key in enumerate(rows.keys()):
        if not key:
            continue
        if key not in seen:
            seen[key] = len(first)
            first.append(number)
        which[number] = seen[key]
    return rows.take(first), which


@dataclass(frozen=True)
class Packed:
    """Rows sorted by shape, a row's weights by kind: +1, -1, others; each divided by `scale`.

    `shape` int32 [shapes, 4]: rows, and how many weights of each kind. `order[i]`: which row stands
    at place i. `bias`: what the carrier, which is always 1, adds.
    """

    order: npt.NDArray[np.int64]
    scale: float
    shape: Ints
    column: Shorts
    value: Floats
    bias: Floats

    @property
    def place(self) -> Ints:
        """Where each row stands."""
        place = np.empty(len(self.order), np.int32)
        place[self.order] = np.arange(len(self.order))
        return place


def _unit(value: Floats) -> float:
    """The commonest magnitude, when it is a power of two: a product with it loses no digit."""
    if not len(value):
        return 1.0
    magnitude = Counter(np.abs(value).tolist()).most_common(1)[0][0]
    return float(magnitude) if np.frexp(magnitude)[0] == 0.5 else 1.0


def pack(rows: Rows, constant: bool) -> Packed:
    """`constant`: the carrier is 1 in every layer, because nothing writes it."""
    count = len(rows)
    row = np.repeat(np.arange(count), np.diff(rows.start))
    carrier = (rows.column == CARRIER) & constant
    scale = _unit(rows.value[~carrier])
    value = rows.value / np.float32(scale)
    kind = np.select([carrier, value == 1, value == -1], [0, 1, 2], 3)
    counts = np.zeros((count, 4), np.int32)
    np.add.at(counts, (row, kind), 1)
    bias = np.zeros(count, np.float32)
    bias[row[carrier]] = value[carrier]
    order = np.lexsort((counts[:, 3], counts[:, 2], counts[:, 1]))
    shapes, sizes = np.unique(counts[order, 1:], axis=0, return_counts=True)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    entry = np.lexsort((kind, place[row]))
    entry = entry[kind[entry] > 0]
    return Packed(
        order,
        scale,
        np.column_stack([sizes, shapes]).astype(np.int32).reshape(-1, 4),
        rows.column[entry].astype(np.uint16),
        value[entry[kind[entry] == 3]],
        bias[order],
    )


def multiples(values: Any, unit: float) -> bool:
    """Every value is an integer times `unit`."""
    scaled = np.asarray(values, np.float64) / unit
    return bool((scaled == np.rint(scaled)).all())


def apart(rows: Rows, constant: bool) -> tuple[Rows, Floats]:
    """Rows without the carrier's weights, and these."""
    row = np.repeat(np.arange(len(rows)), np.diff(rows.start))
    carrier = (rows.column == CARRIER) & constant
    bias = np.zeros(len(rows), np.float32)
    bias[row[carrier]] = rows.value[carrier]
    start = np.searchsorted(row[~carrier], np.arange(len(rows) + 1))
    return Rows(start, rows.column[~carrier], rows.value[~carrier]), bias


@dataclass(frozen=True)
class Forms:
    """Gates by their form: equal rows but for the carrier's weight.

    `start`: the gates of each packed form; `constant`: of every gate, the largest of a form first,
    divided by the scale of the forms; `place`: where each gate stands.
    """

    form: Packed
    start: Counts
    constant: Floats
    place: Ints


def forms(gates: Rows, constant: bool) -> Forms:
    rows, bias = apart(gates, constant)
    different, which = unique(rows)
    if (which < 0).any():  # gates that read the carrier alone
        different = Rows(
            np.append(different.start, different.start[-1]), different.column, different.value
        )
        which = np.where(which < 0, len(different) - 1, which)
    packed = pack(different, constant)
    form = packed.place[which] if len(which) else which
    order = np.lexsort((-bias, form))
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    start = np.searchsorted(form[order], np.arange(len(different) + 1))
    return Forms(packed, start, (bias[order] / np.float32(packed.scale)).astype(np.float32), place)


@dataclass(frozen=True)
class Sums:
    """Rows as sums of two parts and a constant; all divided by the scale of the parts."""

    part: Packed
    first: Ints
    second: Ints
    bias: Floats


def factored(rows: Rows, constant: bool) -> Sums:
    """The columns are split in two so that few different parts are left: the 256 rows of a decoder
    of eight bits are sums of 16 and 16."""
    rows, bias = apart(rows, constant)
    row = np.repeat(np.arange(len(rows)), np.diff(rows.start))
    side = _split(len(rows), row, rows.column, rows.value)
    halves = []
    for chosen in (side, ~side):
        starts = np.searchsorted(row[chosen], np.arange(len(rows) + 1))
        halves.append(unique(Rows(starts, rows.column[chosen], rows.value[chosen])))
    (a, first), (b, second) = halves
    nothing = len(a) + len(b)
    start = np.concatenate([a.start, a.start[-1] + b.start[1:], [a.start[-1] + b.start[-1]]])
    parts = Rows(start, np.concatenate([a.column, b.column]), np.concatenate([a.value, b.value]))
    part = pack(parts, constant)
    return Sums(
        part,
        part.place[np.where(first >= 0, first, nothing)],
        part.place[np.where(second >= 0, len(a) + second, nothing)],
        (bias / np.float32(part.scale)).astype(np.float32),
    )


def _split(count: int, row: Any, column: Ints, value: Floats) -> npt.NDArray[np.bool_]:
    """Entries whose column is on the one side, by the cheapest of some splits."""
    kinds, kind = np.unique(column, return_inverse=True)
    # A part's key is the sum of its entries' random ones; equal keys are taken for equal parts.
    noise = np.random.default_rng(1).integers(1 << 62, size=(2, len(kinds)))
    key = noise[0, kind] * value.view(np.int32) + noise[1, kind]

    def cost(side: npt.NDArray[np.bool_]) -> int:
        weights = 0
        for chosen in (side, ~side):
            sums = np.zeros(count, np.int64)
            np.add.at(sums, row[chosen], key[chosen])
            lengths = np.bincount(row[chosen], minlength=count)
            parts = np.unique(np.column_stack([sums, lengths]), axis=0)
            weights += int(parts[:, 1].sum()) + len(parts)
        return weights

    cuts = np.unique(np.linspace(0, len(kinds), 12).astype(int))
    sides = [kind < cut for cut in cuts]
    if len(kinds):  # columns that never meet the first one in a row
        with_first = np.isin(row, row[kind == 0])
        sides.append(~np.isin(kind, kind[with_first & (kind > 0)]))
    return min(sides, key=cost)
