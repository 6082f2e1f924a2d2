"""Lays a network's matrices out for `passes.c`."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from vgpu.circuit.allocate import CARRIER
from vgpu.circuit.emit import LayerWeights, Network
from vgpu.circuit.memory import GATE
from vgpu.engines.native.rows import (
    Counts,
    Ints,
    Rows,
    apart,
    columns_of,
    factored,
    forms,
    multiples,
    pack,
    rows_of,
    unique,
)
from vgpu.engines.native.structures import AddressC, Keeper, MixerC, MlpC, NetworkC

COMPONENTS: Final = 16  # a memory's row is padded to a multiple of these
MOST_ADDRESSES: Final = 32  # of one layer: bits of a word in `addresses`
_WRITING: Final = ("down_proj", "out_proj")  # their rows are channels; of others, the columns


@dataclass
class Sizes:
    """The most that any layer needs of each scratch array."""

    rows: int = 1  # of one matrix
    neurons: int = 1
    keys: int = 1  # addresses times key width
    addresses: int = 1
    width: int = COMPONENTS
    packs: int = 1

    def grow(self, **sizes: int) -> None:
        for name, size in sizes.items():
            setattr(self, name, max(getattr(self, name), size))


@dataclass
class Layout:
    """A network as `passes.c` takes it, but for what depends on the number of lanes."""

    network: Network
    keep: Keeper = field(default_factory=Keeper)
    sizes: Sizes = field(default_factory=Sizes)
    mlps: list[MlpC] = field(default_factory=list)
    mixers: list[MixerC | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        constant = constant_carrier(self.network)
        self.whole = whole(self.network)
        for layer in self.network.layers:
            self.mlps.append(_mlp(self, layer, constant))
            self.mixers.append(_mixer(self, layer, constant) if layer.has_mixer else None)
        self.head = pack(rows_of(self.network.head), constant)
        self.sizes.grow(rows=len(self.head.order))


def constant_carrier(network: Network) -> bool:
    """Nothing writes the carrier."""
    matrices = [
        layer.matrices[name]
        for layer in network.layers
        for name in ("mlp.down_proj", "linear_attn.out_proj")
    ]
    return not any((m.value[m.row == CARRIER] != 0).any() for m in matrices)


def whole(network: Network) -> bool:
    """With integers in every channel, all that an MLP adds is an integer, and every SiLU's argument
    a multiple of GATE, so that it is exactly max(x, 0)."""
    units = {
        "mlp.gate_proj": GATE, "linear_attn.in_proj_qkv": GATE, "linear_attn.in_proj_z": GATE,
        "mlp.up_proj": 1, "mlp.down_proj": 1 / GATE,
    }  # fmt: skip
    return all(
        multiples(layer.matrices[name].value, unit)
        for layer in network.layers
        for name, unit in units.items()
    )


def _starts(counts: npt.ArrayLike) -> Counts:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _mlp(to: Layout, weights: LayerWeights, constant: bool) -> MlpC:
    """One layer's neurons behind their different gates.

    Neurons behind one gate whose up row is constant are one: their downs are added up.
    """
    keep = to.keep
    gates, which = unique(rows_of(weights.matrices["mlp.gate_proj"]))
    gate = forms(gates, constant)
    gate_of = _placed(which, gate.place)
    ups, bias = apart(rows_of(weights.matrices["mlp.up_proj"]), constant)
    downs = columns_of(weights.matrices["mlp.down_proj"])
    others = np.diff(ups.start)
    alone = _alone((gate_of >= 0) & (others == 0), gate_of, bias, downs, len(gates))
    neurons = np.flatnonzero((gate_of >= 0) & (others > 0))
    neurons = neurons[np.argsort(gate_of[neurons], kind="stable")]
    up, down = ups.take(neurons), downs.take(neurons)
    behind = _starts(np.bincount(gate_of[neurons], minlength=len(gates)))
    to.sizes.grow(rows=len(gates), neurons=len(neurons))
    return MlpC(
        keep.rows(gate.form), keep.ints(gate.start), keep.floats(gate.constant),
        keep.ints(alone.start), keep.shorts(alone.column),
        keep.floats(alone.value), keep.ints(behind), keep.ints(up.start), keep.shorts(up.column),
        keep.floats(up.value), keep.floats(bias[neurons]), keep.ints(down.start),
        keep.shorts(down.column), keep.floats(down.value),
    )  # fmt: skip


def _placed(which: Ints, place: Ints) -> Ints:
    """Numbers of unique rows → where those stand; -1 stays."""
    return np.where(which >= 0, place[which], -1) if len(place) else which


def _alone(
    chosen: npt.NDArray[np.bool_], gate_of: Ints, bias: npt.NDArray[np.float32], downs: Rows,
    gates: int,
) -> Rows:  # fmt: skip
    """Row g: what gate g adds to which channel through the chosen neurons."""
    neuron = np.repeat(np.arange(len(downs)), np.diff(downs.start))
    some = chosen[neuron]
    gate, channel = gate_of[neuron[some]].astype(np.int64), downs.column[some]
    weight = downs.value[some].astype(np.float64) * bias[neuron[some]]
    width = int(channel.max(initial=0)) + 1
    cells, inverse = np.unique(gate * width + channel, return_inverse=True)
    total = np.bincount(inverse, weight, len(cells))
    cells, total = cells[total != 0], total[total != 0]
    return Rows(
        _starts(np.bincount(cells // width, minlength=gates)),
        (cells % width).astype(np.int32),
        total.astype(np.float32),
    )


def _mixer(to: Layout, weights: LayerWeights, constant: bool) -> MixerC:
    """One layer's memories, without their contents."""
    keep, m = to.keep, weights.matrices
    banks, components = weights.value_heads, weights.value_width
    keys = 2 * weights.key_heads * weights.key_width
    qkv = rows_of(m["linear_attn.in_proj_qkv"])
    addresses, which = _addresses(to, weights, qkv.take(np.arange(keys)), constant)
    values, value_of = unique(qkv.take(np.arange(keys, len(qkv))))
    value = pack(values, constant)
    value_of = _placed(value_of, value.place).reshape(banks, components)
    starts, stored, part, pack_of = _packs(value_of)
    gates, gate_of = unique(rows_of(m["linear_attn.in_proj_z"]))
    gate = pack(gates, constant)
    gate_of = _placed(gate_of, gate.place)
    betas, beta_of = unique(rows_of(m["linear_attn.in_proj_b"]))
    beta = pack(Rows(np.append(betas.start, betas.start[-1]), betas.column, betas.value), constant)
    beta_of = beta.place[np.where(beta_of >= 0, beta_of, len(betas))]
    through, read = _reads(columns_of(m["linear_attn.out_proj"]), gate_of, banks, components)
    used = 1 + max(int(part.max(initial=0)), int(read[1].max(initial=0)))
    width = -(-used // COMPONENTS) * COMPONENTS
    targets = np.unique(read[2])
    to.sizes.grow(
        rows=max(len(gates), len(betas) + 1, len(values)), width=width, packs=len(starts) - 1,
        addresses=len(addresses), keys=len(addresses) * weights.key_width,
    )  # fmt: skip
    heads = weights.key_heads
    return MixerC(
        heads, banks // heads, len(addresses), len(starts) - 1, weights.key_width, components,
        len(targets), width, weights.key_width**-0.5, keep.structures(addresses),
        keep.ints(which[:heads]), keep.ints(which[heads:]), keep.rows(gate), keep.rows(beta),
        keep.rows(value), keep.ints(starts), keep.shorts(stored), keep.shorts(part),
        keep.ints(pack_of), keep.ints(beta_of), keep.ints(through[0]), keep.shorts(through[1]),
        keep.ints(read[0]), keep.shorts(read[1]), keep.shorts(read[2]), keep.floats(read[3]),
        keep.shorts(targets),
    )  # fmt: skip


def _addresses(
    to: Layout, weights: LayerWeights, rows: Rows, constant: bool
) -> tuple[list[AddressC], list[int]]:
    """Different addresses once, and which each head's query and then each head's key is."""
    width, keep, keys = weights.key_width, to.keep, rows.keys()
    seen: dict[tuple[bytes, ...], int] = {}
    made: list[AddressC] = []
    which = []
    for first in range(0, len(rows), width):
        key = tuple(keys[first : first + width])
        if key not in seen:
            seen[key] = len(made)
            here = rows.take(np.arange(first, first + width))
            filled = np.flatnonzero(np.diff(here.start))
            sums = factored(here.take(filled), constant)
            fixed = _fixed(here) if constant else None
            made.append(
                AddressC(
                    keep.rows(sums.part),
                    len(filled),
                    keep.shorts(sums.first),
                    keep.shorts(sums.second),
                    keep.floats(sums.bias),
                    keep.shorts(filled),
                    None if fixed is None else keep.floats(fixed),
                )  # fmt: skip
            )
            to.sizes.grow(rows=max(len(sums.part.order), len(filled)))
        which.append(seen[key])
    if len(made) > MOST_ADDRESSES:
        raise ValueError(f"a layer with {len(made)} addresses; the engine takes {MOST_ADDRESSES}")
    return made, which


def _fixed(rows: Rows) -> npt.NDArray[np.float32] | None:
    """The normalised query of rows that read the carrier alone; None when one reads more."""
    if (rows.column != CARRIER).any() or not len(rows.column):
        return None
    x = np.zeros(len(rows), np.float32)
    x[np.diff(rows.start) > 0] = rows.value
    lit = np.where(x >= 18, x, x / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32)
    norm = np.float32(1) / np.sqrt((lit * lit).sum(dtype=np.float32) + np.float32(1e-6))
    return cast("npt.NDArray[np.float32]", lit * norm)


def _packs(value_of: Ints) -> tuple[list[int], list[int], Ints, Ints]:
    """What banks store, equal ones once: (start of each pack, value rows, components, pack of each
    bank; -1 for one that stores nothing)."""
    seen: dict[bytes, int] = {}
    starts, rows, parts = [0], [], []
    pack_of = np.full(len(value_of), -1, np.int32)
    for bank, row in enumerate(value_of):
        if (row < 0).all():
            continue
        key = row.tobytes()
        if key not in seen:
            seen[key] = len(starts) - 1
            parts += np.flatnonzero(row >= 0).tolist()
            rows += row[row >= 0].tolist()
            starts.append(len(rows))
        pack_of[bank] = seen[key]
    return starts, rows, np.array(parts, np.int32), pack_of


def _reads(
    out: Rows, gate_of: Ints, banks: int, components: int
) -> tuple[list[npt.NDArray[Any]], list[npt.NDArray[Any]]]:
    """The gates that each bank is read through: (start, gate); and what each of those gives:
    (start, component, channel, weight)."""
    component = np.repeat(np.arange(len(out)), np.diff(out.start))
    gate = gate_of[component]
    some = np.flatnonzero(gate >= 0)
    some = some[np.lexsort((component[some], gate[some], component[some] // components))]
    component, gate = component[some], gate[some]
    pairs, read = np.unique(
        np.column_stack([component // components, gate]), axis=0, return_counts=True
    )
    pairs = pairs.reshape(-1, 2)
    through = [_starts(np.bincount(pairs[:, 0], minlength=banks)), pairs[:, 1]]
    return through, [_starts(read), component % components, out.column[some], out.value[some]]


def _fresh(network: Network) -> tuple[Counts, npt.NDArray[Any]]:
    """Channels that each layer, and last the head, is the first to use: (start, channel)."""
    used = np.zeros(network.hidden, np.bool_)
    used[[CARRIER, *network.embed.tolist()]] = True
    counts, channels = [], []
    for matrices in [*(layer.matrices for layer in network.layers), {"head": network.head}]:
        now = np.zeros(network.hidden, np.bool_)
        for name, matrix in matrices.items():
            now[matrix.row if name.endswith(_WRITING) else matrix.column] = True
        fresh = np.flatnonzero(now & ~used)
        used |= now
        counts.append(len(fresh))
        channels.append(fresh)
    return _starts(counts), np.concatenate(channels)


class Instance:
    """A layout with memories and, for each number of lanes used, scratch."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.state = Keeper()
        self._scratch: dict[int, tuple[NetworkC, list[MixerC], Keeper]] = {}
        self.forget()

    def forget(self) -> None:
        """Empties every memory."""
        self.state = Keeper()
        self._memories = []
        for layer, mixer in zip(self.layout.network.layers, self.layout.mixers, strict=True):
            if mixer is None:
                continue
            rows = layer.value_heads * mixer.key_width
            sizes = ((rows * mixer.width, np.float32),
                     (layer.value_heads * mixer.width, np.float32),
                     (mixer.addresses * mixer.key_width, np.uint8))  # fmt: skip
            self._memories.append(tuple(self.state.empty(size, kind) for size, kind in sizes))
        for _, mixers, _ in self._scratch.values():
            self._point(mixers)

    def _point(self, mixers: list[MixerC]) -> None:
        for mixer, memory in zip(mixers, self._memories, strict=True):
            mixer.state, mixer.total, mixer.touched = memory

    def network(self, lanes: int) -> NetworkC:
        if lanes not in self._scratch:
            self._scratch[lanes] = self._make(lanes)
        return self._scratch[lanes][0]

    def _make(self, lanes: int) -> tuple[NetworkC, list[MixerC], Keeper]:
        layout, keep, sizes = self.layout, Keeper(), self.layout.sizes
        network, fresh = layout.network, _fresh(layout.network)
        mixers = []
        for mixer in layout.mixers:
            if mixer is not None:
                copy = MixerC.from_buffer_copy(mixer)
                copy.packed = keep.empty(mixer.packs * lanes * mixer.width, np.float32)
                mixers.append(copy)
        self._point(mixers)
        left = iter(mixers)
        pointers = [
            0 if mixer is None else ctypes.addressof(next(left)) for mixer in layout.mixers
        ]  # fmt: skip

        def vectors(count: int) -> int:
            return keep.empty(count * lanes, np.float32)

        def masks(count: int) -> int:
            return keep.empty(count * mask_bytes(lanes), np.uint8)

        rows, keys, addresses = sizes.rows + 1, sizes.keys * lanes, sizes.addresses * lanes
        filled = NetworkC(
            len(network.embed), network.hidden, len(network.layers), layout.whole,
            keep.shorts(network.embed), keep.ints(fresh[0]), keep.shorts(fresh[1]),
            keep.structures(layout.mlps), keep.array(pointers, np.uintp), keep.rows(layout.head),
            keep.shorts(layout.head.order), vectors(network.hidden), vectors(rows),
            vectors(max(sizes.neurons, rows)), vectors(rows), vectors(rows), masks(rows),
            masks(rows), keep.empty(rows, np.uint16),
            keep.empty(keys, np.uint16), keep.empty(sizes.neurons, np.int32),
            keep.empty(addresses, np.int32), vectors(sizes.keys),
            keep.empty(sizes.width, np.float32),
            keep.empty(rows, np.float32), masks(sizes.packs),
            keep.empty(2 + 4 * len(network.layers), np.uint64),
        )  # fmt: skip
        return filled, mixers, keep


def mask_bytes(lanes: int) -> int:
    """Size of a mask of that many lanes in `passes.c`."""
    return {8: 1, 16: 2}.get(lanes, 4)
