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


@dataclass(frozen=True)
class Rows:
    """Compressed rows: row r holds entries start[r] to start[r + 1]."""

    start: npt.NDArray[np.int64]
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
