"""The sparse engine knows matrices only: random networks give the dense engine's words."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from vgpu.circuit.emit import Matrix, Network, emit
from vgpu.circuit.form import Form, Signal, as_form, literal, total
from vgpu.circuit.memory import KeyHead, Mixer, ValueHead, decode, word_bank
from vgpu.circuit.netlist import Netlist
from vgpu.engines.dense import DenseEngine, MachineModel
from vgpu.engines.sparse import SparseEngine
from vgpu.geometry import Geometry
from vgpu.word import Bits, layout

SMALL = Geometry(lanes=4, warps=1, registers=8, instructions=64, memory_bytes=4096, hidden=256)
ROWS, WIDTH = 4, 4  # address bits of a random memory, and the bits of its words
CLEAR = 0.01  # a logit nearer to 0 may round either way in a network of broken weights


def form(draw: random.Random, signals: list[Signal], most: int) -> Form:
    chosen = draw.sample(signals, draw.randint(1, most))
    return total(draw.choice((-3, -2, -1, 1, 1, 1, 2, 4)) * s for s in chosen) + draw.randint(-3, 1)


def neurons(n: Netlist, draw: random.Random, signals: list[Signal], count: int) -> list[Signal]:
    """Signals of small integers; some neurons share a gate, some have a constant up row."""
    outs = [n.signal(f"s{len(n.signals)}", -400, 400) for _ in range(count)]
    gates = [form(draw, signals, 6).bounded(-40, 4) for _ in range(count)]
    for out in outs:
        for _ in range(draw.randint(1, 3)):
            up = as_form(draw.choice((1, -2))) if draw.random() < 0.5 else form(draw, signals, 3)
            targets = {s: draw.choice((-1, 1, 2)) for s in draw.sample(outs, draw.randint(1, 2))}
            n.neuron(draw.choice(gates), {out: 1} | targets, up.bounded(-20, 20))
    # Bits again: what is small stays small, and a memory's address must be made of bits.
    return [n.step(f"bit{len(n.signals)}", out.form().bounded(-400, 400), 1) for out in outs]


def memory(n: Netlist, draw: random.Random, bits: list[Signal]) -> list[Signal]:
    """Heads of two banks; both may be written and read by one word, and share a key or a query."""
    heads = []
    outs = [n.signal(f"m{len(n.signals)}", 0, 8) for _ in range(WIDTH)]
    addresses = [decode([*draw.sample(bits, ROWS)], 1 << ROWS) for _ in range(3)]
    for _ in range(2):
        banks: list[ValueHead] = []
        for _ in range(2):
            data = [bit.form() for bit in draw.sample(bits, WIDTH)]
            write, gate = draw.choice(bits), literal(draw.choice(bits), draw.random() < 0.5)
            targets = [{out: 1} for out in draw.sample(outs, WIDTH)]
            banks.append(word_bank(write.form() * 2 - 1, data, as_form(1), gate, targets))
        heads.append(KeyHead("memory", draw.choice(addresses), draw.choice(addresses), banks))
    n.add_mixer(Mixer(heads, 1 << ROWS, 4 * WIDTH))
    return outs


def network(seed: int) -> Network:
    """Three layers with neurons, two of them with memories."""
    draw, n = random.Random(seed), Netlist()
    names = layout(SMALL).names
    bits = [n.input(name) for name in names]
    signals = neurons(n, draw, bits, 24)
    signals += memory(n, draw, bits)
    signals = neurons(n, draw, bits + signals, 24) + signals
    memory(n, draw, [s for s in signals if s.hi == 1])
    for name in names:
        n.output(name, form(draw, signals, 3))
    return emit(n, SMALL.hidden)


def broken(net: Network, name: str, share: float, seed: int) -> Network:
    """A share of one matrix's weights in every layer multiplied by something that is no integer."""
    rng, layers = np.random.default_rng(seed), []
    for layer in net.layers:
        old = layer.matrices[name]
        factor = np.where(rng.random(old.nonzeros) < share, 0.37, 1)
        changed = Matrix(old.shape, old.row, old.column, (old.value * factor).astype(np.float32))
        layers.append(replace(layer, matrices={**layer.matrices, name: changed}))
    return replace(net, layers=tuple(layers))


def words(rng: np.random.Generator, count: int) -> Bits:
    return (rng.random((count, layout(SMALL).bits)) < rng.choice((0.2, 0.5))).astype(np.uint8)


@pytest.mark.parametrize("seed", range(6))
def test_a_random_network_gives_the_same_words_on_both_engines(seed: int) -> None:
    net, rng = network(seed), np.random.default_rng(seed)
    sparse, dense = SparseEngine(SMALL, net), DenseEngine(SMALL, MachineModel(net))
    ones = []
    for count in (1, 40, 8, 5, 33, 1, 16, 3):
        chunk = words(rng, count)
        came = sparse.step(chunk)
        assert np.array_equal(came, dense.step(chunk)), count
        ones.append(came.mean())
    assert 0.02 < np.mean(ones) < 0.98


def test_chunks_of_any_size_give_the_same_words() -> None:
    net, rng = network(7), np.random.default_rng(7)
    prompt = words(rng, 120)
    came = []
    for size in (1, 3, 8, 31, 32, 33, 120):
        engine = SparseEngine(SMALL, net)
        parts = [engine.step(prompt[at : at + size]) for at in range(0, len(prompt), size)]
        came.append(np.concatenate(parts))
        assert np.array_equal(came[-1], came[0]), size


@pytest.mark.parametrize(
    "name",
    [
        "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "linear_attn.in_proj_qkv",
        "linear_attn.in_proj_z", "linear_attn.in_proj_b", "linear_attn.out_proj",
    ],
)  # fmt: skip
def test_broken_weights_give_what_the_dense_engine_gives(name: str) -> None:
    """Channels are no integers then, SiLU is neither x nor 0, queries light several rows."""
    net = broken(network(3), name, 0.2, 5)
    sparse, model = SparseEngine(SMALL, net), MachineModel(net)
    cache = model.new_cache()
    rng, clear, all_ = np.random.default_rng(9), 0, 0
    for count in (1, 12, 40):
        chunk = words(rng, count)
        with torch.no_grad():
            logits = model(torch.from_numpy(chunk).float()[None], cache)[0].numpy()
        sure = np.abs(logits) > CLEAR
        assert np.array_equal(sparse.step(chunk)[sure], (logits > 0)[sure]), count
        clear, all_ = clear + int(sure.sum()), all_ + sure.size
    assert clear > 0.7 * all_
