"""The sparse engine: the same weights as the dense one, skipping the zeros.

It knows matrices, not instructions: any network that the circuit compiler emits runs here. One
native function (`vgpu.engines.kernel`) does whole passes; this file lays the weights out for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from vgpu.circuit.emit import EPSILON, LayerWeights, Matrix, Network
from vgpu.engines import kernel
from vgpu.geometry import Geometry
from vgpu.network import network_for
from vgpu.word import Bits, layout

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass
class Rows:
    """Compressed rows: row r holds entries start[r] to start[r + 1]."""

    start: Ints
    column: Ints
    value: Floats

    def __len__(self) -> int:
        return len(self.start) - 1


def rows_of(matrix: Matrix) -> Rows:
    """The rows of a matrix (its entries are sorted by row)."""
    start = np.searchsorted(matrix.row, np.arange(matrix.shape[0] + 1)).astype(np.int32)
    return Rows(start, matrix.column, matrix.value)


def columns_of(matrix: Matrix) -> Rows:
    """The columns of a matrix, as rows."""
    order = np.lexsort((matrix.row, matrix.column))
    flipped = Matrix(
        matrix.shape[::-1], matrix.column[order], matrix.row[order], matrix.value[order]
    )
    return rows_of(flipped)


def unique_rows(rows: Rows) -> tuple[Rows, Ints]:
    """Equal rows once, and which of them each row is; -1 for a row without weights."""
    seen: dict[tuple[bytes, bytes], int] = {}
    which = np.full(len(rows), -1, dtype=np.int32)
    starts, columns, values = [0], [], []
    for r in range(len(rows)):
        at = slice(rows.start[r], rows.start[r + 1])
        column, value = rows.column[at], rows.value[at]
        if len(column) == 0:
            continue
        key = (column.tobytes(), value.tobytes())
        if key not in seen:
            seen[key] = len(starts) - 1
            columns.append(column)
            values.append(value)
            starts.append(starts[-1] + len(column))
        which[r] = seen[key]
    if not columns:
        return Rows(np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32)), which
    packed = Rows(np.array(starts, np.int32), np.concatenate(columns), np.concatenate(values))
    return packed, which


def _stack(parts: list[Rows]) -> Rows:
    starts = [np.zeros(1, np.int32)]
    for part in parts:
        starts.append(part.start[1:] + starts[-1][-1])
    return Rows(
        np.concatenate(starts).astype(np.int32),
        np.concatenate([p.column for p in parts]),
        np.concatenate([p.value for p in parts]),
    )


def _mlp_arrays(network: Network) -> tuple[Any, ...]:
    """All layers' neurons in one list: gate and up rows, down columns, first neuron a layer."""
    gates, ups, downs, first = [], [], [], [0]
    for layer in network.layers:
        gates.append(rows_of(layer.matrices["mlp.gate_proj"]))
        ups.append(rows_of(layer.matrices["mlp.up_proj"]))
        downs.append(columns_of(layer.matrices["mlp.down_proj"]))
        first.append(first[-1] + layer.neurons)
    flat: list[Any] = [np.array(first, np.int32)]
    for rows in (_stack(gates), _stack(ups), _stack(downs)):
        flat += [rows.start, rows.column, rows.value]
    return tuple(flat)


def _mixer_arrays(weights: LayerWeights) -> tuple[Any, ...]:
    """One layer's mixer; see `kernel.mix` for the order."""
    w = weights
    keys = w.key_heads * w.key_width
    qkv = rows_of(w.matrices["linear_attn.in_proj_qkv"])
    values = Rows(qkv.start[2 * keys :], qkv.column, qkv.value)
    address, which = unique_rows(Rows(qkv.start[: 2 * keys + 1], qkv.column, qkv.value))
    gate, gate_of = unique_rows(rows_of(w.matrices["linear_attn.in_proj_z"]))
    beta, beta_of = unique_rows(rows_of(w.matrices["linear_attn.in_proj_b"]))
    out = columns_of(w.matrices["linear_attn.out_proj"])
    # A bank whose components all share one gate needs to be looked at only when that is open.
    gates = gate_of.reshape(w.value_heads, w.value_width)
    bank_gate = np.array([_shared(row) for row in gates], dtype=np.int32)
    lit = np.diff(values.start).reshape(w.value_heads, w.value_width)
    width = np.array([int(np.max(np.flatnonzero(row), initial=-1)) + 1 for row in lit], np.int32)
    shape = np.array([w.key_heads, w.value_heads, w.key_width, w.value_width], np.int32)
    flat: list[Any] = [shape, which, gates, bank_gate, beta_of, width]
    for rows in (address, gate, beta, values, out):
        flat += [rows.start, rows.column, rows.value]
    return tuple(flat)


def _shared(row: Ints) -> int:
    """The gate that all gated components of a bank share; -1 none is gated; -2 they differ."""
    used = np.unique(row[row >= 0])
    return -1 if len(used) == 0 else int(used[0]) if len(used) == 1 else -2


class SparseEngine:
    """Feeds words to the native passes. State: one array of rows for each value head."""

    name = "sparse"

    def __init__(self, geometry: Geometry, network: Network) -> None:
        self.geometry, self.network = geometry, network
        self.layout = layout(geometry)
        self._mlp = _mlp_arrays(network)
        self._mixers = [
            (index, _mixer_arrays(layer))
            for index, layer in enumerate(network.layers)
            if layer.has_mixer
        ]
        head = rows_of(network.head)
        self._head = (head.start, head.column, head.value)
        self.reset()

    @classmethod
    def for_geometry(cls, geometry: Geometry) -> SparseEngine:
        return cls(geometry, network_for(geometry))

    def reset(self) -> None:
        self._states = [
            np.zeros((w.value_heads, w.key_width, w.value_width), np.float32)
            for w in (self.network.layers[index] for index, _ in self._mixers)
        ]

    def step(self, words: Bits) -> Bits:
        if len(words) == 0:
            return words
        stream = np.zeros((self.network.hidden, len(words)), np.float32)
        kernel.embed(words, self.network.embed, stream)
        mixers = dict((index, k) for k, (index, _) in enumerate(self._mixers))
        for index in range(len(self.network.layers)):
            if index in mixers:
                k = mixers[index]
                kernel.mix(stream, self._states[k], EPSILON, *self._mixers[k][1])
            kernel.mlp(stream, index, *self._mlp)
        return kernel.read_head(stream, *self._head)
