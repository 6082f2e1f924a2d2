"""From the netlist to weights: sparse matrices with the names and shapes of Qwen3.5 layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from vgpu.circuit.allocate import CARRIER, allocate
from vgpu.circuit.form import Form
from vgpu.circuit.memory import GATE, Mixer
from vgpu.circuit.netlist import Layer, Netlist
from vgpu.circuit.prune import prune

EPSILON: Final = 1e-6
WRITE_SCALE: Final = 512.0  # sigmoid(+-256) is exactly 1 or 0
# K: with a hidden size that is a power of four, K / sqrt(hidden) is a power of two.
CARRIER_VALUE: Final = 2.0**40


@dataclass(frozen=True)
class Matrix:
    """A sparse fp32 matrix [rows, columns] as parallel arrays, sorted by row."""

    shape: tuple[int, int]
    row: npt.NDArray[np.int32]
    column: npt.NDArray[np.int32]
    value: npt.NDArray[np.float32]

    @property
    def nonzeros(self) -> int:
        return len(self.value)

    def dense(self) -> npt.NDArray[np.float32]:
        out = np.zeros(self.shape, dtype=np.float32)
        out[self.row, self.column] = self.value
        return out


Entries = list[tuple[int, int, float]]


def _matrix(shape: tuple[int, int], entries: Iterable[tuple[int, int, float]]) -> Matrix:
    # Two signals that share a channel in one layer (one cleared, one born) give two entries.
    merged: dict[tuple[int, int], float] = {}
    for r, c, v in entries:
        merged[r, c] = merged.get((r, c), 0.0) + v
    ordered = sorted((r, c, v) for (r, c), v in merged.items() if v)
    rows, columns, values = zip(*ordered, strict=True) if ordered else ((), (), ())
    return Matrix(
        shape,
        np.array(rows, dtype=np.int32),
        np.array(columns, dtype=np.int32),
        np.array(values, dtype=np.float32),
    )


@dataclass(frozen=True)
class LayerWeights:
    """One decoder layer. Matrices are named as in `Qwen3_5DecoderLayer`; all norms are the
    carrier's identity, the convolution is [0, 0, 0, 1], decay is off."""

    key_heads: int
    value_heads: int
    key_width: int
    value_width: int
    neurons: int
    matrices: dict[str, Matrix]

    @property
    def has_mixer(self) -> bool:
        return self.matrices["linear_attn.out_proj"].nonzeros > 0


@dataclass(frozen=True)
class Network:
    """The compiled machine: an embedding of word bits, layers, and a head of word bits.

    `embed` gives the channel of every input bit; the carrier is set on every machine token.
    `head` maps the final normed stream to one logit an output bit: positive is 1.
    """

    hidden: int
    embed: npt.NDArray[np.int32]
    layers: tuple[LayerWeights, ...]
    head: Matrix
    channels: int
    names: dict[int, str] = field(default_factory=dict)

    @property
    def neurons(self) -> int:
        return sum(layer.neurons for layer in self.layers)

    @property
    def nonzeros(self) -> int:
        inside = sum(m.nonzeros for layer in self.layers for m in layer.matrices.values())
        return inside + self.head.nonzeros


def _row(index: int, form: Form, scale: float = 1.0) -> Iterator[tuple[int, int, float]]:
    """A weight row that computes `scale * form` from the normed stream (the carrier reads 1)."""
    for signal, coef in form.terms.items():
        if signal.born is not None:
            yield index, signal.channel, coef * scale
    if form.const:
        yield index, CARRIER, form.const * scale


def emit(netlist: Netlist, hidden: int) -> Network:
    """Allocate channels and write all weights. Raises CircuitError when they do not fit."""
    prune(netlist)
    channels = allocate(netlist, hidden)
    layers = tuple(_layer(layer, hidden) for layer in netlist.layers)
    head: Entries = []
    for bit, form in enumerate(netlist.outputs.values()):
        head += _row(bit, form)
        head.append((bit, CARRIER, -0.5))
    return Network(
        hidden=hidden,
        embed=np.array([s.channel for s in netlist.inputs], dtype=np.int32),
        layers=layers,
        head=_matrix((len(netlist.outputs), hidden), head),
        channels=channels,
    )


def _layer(layer: Layer, hidden: int) -> LayerWeights:
    mixer = layer.mixer
    key_heads = len(mixer.heads) if mixer else 1
    group = mixer.group if mixer else 1
    key_width = mixer.key_width if mixer else 4
    value_width = mixer.value_width if mixer else 4
    matrices = _mixer_matrices(mixer, hidden, key_heads, group, key_width, value_width)
    neurons = max(len(layer.neurons), 1)
    gate: Entries = []
    up: Entries = []
    down: Entries = []
    for i, neuron in enumerate(layer.neurons):
        gate += _row(i, neuron.gate, GATE)
        up += _row(i, neuron.up)
        down += [(s.channel, i, weight / GATE) for s, weight in neuron.outs.items()]
    matrices["mlp.gate_proj"] = _matrix((neurons, hidden), gate)
    matrices["mlp.up_proj"] = _matrix((neurons, hidden), up)
    matrices["mlp.down_proj"] = _matrix((hidden, neurons), down)
    return LayerWeights(key_heads, key_heads * group, key_width, value_width, neurons, matrices)


def _mixer_matrices(
    mixer: Mixer | None, hidden: int, key_heads: int, group: int, key_width: int, value_width: int
) -> dict[str, Matrix]:
    qkv: Entries = []
    z: Entries = []
    b: Entries = []
    out: Entries = []
    keys = key_heads * key_width
    for h, head in enumerate(mixer.heads if mixer else ()):
        for base, forms in ((0, head.query), (keys, head.key)):
            for r, form in enumerate(forms):
                qkv += _row(base + h * key_width + r, form, GATE)
        for j, bank in enumerate(head.banks):
            value_head = h * group + j
            b += _row(value_head, bank.write * 2 - 1, WRITE_SCALE / 2)
            for c, component in bank.components.items():
                at = value_head * value_width + c
                qkv += _row(2 * keys + at, component.data, component.scale)
                if component.gate is not None:
                    z += _row(at, component.gate, GATE)
                out += [(s.channel, at, weight) for s, weight in component.outs.items()]
    values = key_heads * group * value_width
    return {
        "linear_attn.in_proj_qkv": _matrix((2 * keys + values, hidden), qkv),
        "linear_attn.in_proj_z": _matrix((values, hidden), z),
        "linear_attn.in_proj_b": _matrix((key_heads * group, hidden), b),
        "linear_attn.out_proj": _matrix((hidden, values), out),
    }
