"""The sparse engine: the same weights as the dense one, skipping the zeros.

It knows matrices, not instructions: any network that the circuit compiler emits runs here. One
native function (`vgpu.engines.kernel`) does whole passes; this file lays the weights out for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vgpu.circuit.allocate import CARRIER
from vgpu.circuit.emit import LayerWeights, Matrix, Network
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
    """One layer's mixer, in the order that `kernel.mix` takes it apart."""
    w = weights
    keys = w.key_heads * w.key_width
    qkv = rows_of(w.matrices["linear_attn.in_proj_qkv"])
    address, which = unique_rows(Rows(qkv.start[: 2 * keys + 1], qkv.column, qkv.value))
    value, value_of = unique_rows(Rows(qkv.start[2 * keys :], qkv.column, qkv.value))
    gate, gate_of = unique_rows(rows_of(w.matrices["linear_attn.in_proj_z"]))
    beta, beta_of = unique_rows(rows_of(w.matrices["linear_attn.in_proj_b"]))
    out = columns_of(w.matrices["linear_attn.out_proj"])
    banks = (w.value_heads, w.value_width)
    gates, values = gate_of.reshape(banks), value_of.reshape(banks)
    # A bank whose components all share one gate needs to be looked at only when that is open.
    bank_gate = np.array([_shared(row) for row in gates], dtype=np.int32)
    used = np.array([int(np.max(np.flatnonzero(r >= 0), initial=-1)) + 1 for r in values], np.int32)
    steady = np.array([_steady(address, which, h * w.key_width, w.key_width)
                       for h in range(w.key_heads)])  # fmt: skip
    shape = np.array([w.key_heads, w.value_heads, w.key_width, w.value_width], np.int32)
    flat: list[Any] = [shape, which, gates, bank_gate, beta_of, used, values, steady]
    for rows in (address, gate, beta, value, out):
        flat += [rows.start, rows.column, rows.value]
    targets = np.unique(w.matrices["linear_attn.out_proj"].row).astype(np.int32)
    return (*flat, targets)


def _steady(rows: Rows, which: Ints, base: int, width: int) -> bool:
    """Every row of a query reads the carrier alone: the query is the same on every token."""
    used = which[base : base + width]
    if (used < 0).any():
        return False
    return all((rows.column[rows.start[r] : rows.start[r + 1]] == CARRIER).all() for r in used)


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
        mixers = [i for i, layer in enumerate(network.layers) if layer.has_mixer]
        mixer_of = np.full(len(network.layers), -1, np.int32)
        mixer_of[mixers] = np.arange(len(mixers))
        head = rows_of(network.head)
        self._network = (
            network.embed,
            len(network.layers),
            _mlp_arrays(network),
            mixer_of,
            tuple(_mixer_arrays(network.layers[i]) for i in mixers),
            (head.start, head.column, head.value),
        )
        self._shapes = [
            (w.value_heads, w.key_width, w.value_width) for w in (network.layers[i] for i in mixers)
        ]
        self._scratch: dict[int, tuple[Any, ...]] = {}
        self._no_bits = np.zeros(0, np.int64)
        self._no_history = np.zeros((0, 0, 0), np.uint8)
        self.reset()

    @classmethod
    def for_geometry(cls, geometry: Geometry) -> SparseEngine:
        return cls(geometry, network_for(geometry))

    def reset(self) -> None:
        self._states = tuple(np.zeros(shape, np.float32) for shape in self._shapes)
        self._touched = tuple(np.zeros((h, k), np.bool_) for h, k, _ in self._shapes)
        self._totals = tuple(np.zeros((h, v), np.float32) for h, _, v in self._shapes)

    def _memory(self, lanes: int) -> tuple[Any, ...]:
        """State and scratch arrays for that many words."""
        wide = kernel.padded(lanes)
        if wide not in self._scratch:
            most = max(layer.neurons for layer in self.network.layers)
            self._scratch[wide] = (
                np.zeros((self.network.hidden, wide), np.float32),
                np.empty((most + 1, wide), np.float32),
                np.empty(most, np.bool_),
                np.empty(wide, np.float32),
                np.empty((self.network.hidden, wide), np.float32),
            )
        return (self._states, self._touched, self._totals, *self._scratch[wide])

    def step(self, words: Bits) -> Bits:
        if len(words) == 0:
            return words
        out = words.copy()
        every = np.arange(words.shape[1])
        kernel.passes(
            out, 1, every, self._no_bits, self._no_history, self._network, self._memory(len(words))
        )
        return out

    def advance(
        self, words: Bits, limit: int, alive: list[int], stop: list[int], keep: bool
    ) -> tuple[Bits, int, int, Bits]:
        """Up to `limit` passes in native code; see `vgpu.engines.advance`."""
        out = words.copy()
        history = np.empty((limit if keep else 0, *words.shape), np.uint8)
        count, ran = kernel.passes(
            out, limit, np.array(alive), np.array(stop), history, self._network,
            self._memory(len(words)),
        )  # fmt: skip
        return out, count, ran, history[:count]
