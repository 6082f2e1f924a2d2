"""Ablation: without one block's weights, which instructions go wrong? Writes docs/ablation.md.

The down-projection weights by which a block's neurons add to the residual stream are set to zero;
nothing else changes. Every instruction is then tried on the sparse engine against the interpreter.
`python -m vgpu.ablation` writes the table.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from vgpu import isa
from vgpu.blocks import build
from vgpu.circuit.emit import Network, emit
from vgpu.circuit.netlist import Layer, Netlist
from vgpu.engines import Engine
from vgpu.engines.sparse import SparseEngine
from vgpu.fuzz_code import CORNERS, SHIFTS
from vgpu.geometry import DEFAULT, Geometry
from vgpu.interpreter import Interpreter
from vgpu.word import Bits

PAGE: Final = Path(__file__).parents[1] / "docs" / "ablation.md"
LANES: Final = 8
TRIES: Final = 12  # instructions of each opcode, each in all lanes
PASSES: Final = 3  # after it: an operation that waits, goes on in the second
MEMORY: Final = 256  # bytes that loads and stores reach
SPECIALS: Final = [n for n in isa.SPECIALS.values() if n & isa.SPECIAL_PER_THREAD]
HEAD: Final = """# What each part of the network is needed for

This page is written by `python -m vgpu.ablation`.

The network is compiled as always. Then the weights of one part are set to zero, and every
instruction is tried on the crippled network against the interpreter: {tries} instructions of each
opcode with random operands in {lanes} lanes. `x`: some word differed. Nothing of the program around
the network changes, so that what fails here is what the network computes.

## Blocks

Zero are the weights of the down projections (`mlp.down_proj`) by which the block's neurons add to
the residual stream. Blocks that every instruction goes through fail in every row.

"""
MIDDLE: Final = """
## Memories

Zero are the weights of `linear_attn.out_proj` by which one memory (a key head with its banks) is
read: the program, the register ports a, b and c, the special registers, what lanes know of each
other, who holds an address, the memory.

"""


@lru_cache(maxsize=1)
def _compiled(geometry: Geometry) -> tuple[Netlist, Network]:
    netlist = build(geometry)
    return netlist, emit(netlist, geometry.hidden)


def blocks(geometry: Geometry = DEFAULT) -> list[str]:
    """Names of the blocks that have neurons, in the order of the circuit."""
    netlist, _ = _compiled(geometry)
    neurons = (neuron for layer in netlist.layers for neuron in layer.neurons)
    return list(dict.fromkeys(block for neuron in neurons for _, block in neuron.parts))


def without(block: str, geometry: Geometry = DEFAULT) -> Network:
    """The network whose down projections have nothing from that block."""
    netlist, network = _compiled(geometry)
    layers = list(network.layers)
    for index, layer in enumerate(netlist.layers):
        weights = layers[index]
        matrix = weights.matrices["mlp.down_proj"]
        kept = _kept(layer, block)
        values = matrix.value.copy()
        for entry, (row, column) in enumerate(zip(matrix.row, matrix.column, strict=True)):
            values[entry] *= kept.get((int(row), int(column)), 1.0)
        zeroed = dataclasses.replace(matrix, value=values)
        matrices = weights.matrices | {"mlp.down_proj": zeroed}
        layers[index] = dataclasses.replace(weights, matrices=matrices)
    return dataclasses.replace(network, layers=tuple(layers))


def memories(geometry: Geometry = DEFAULT) -> list[str]:
    """Names of the memories (key heads of the token mixers), in the order of the layers."""
    netlist, _ = _compiled(geometry)
    mixers = (layer.mixer for layer in netlist.layers if layer.mixer is not None)
    return [head.name for mixer in mixers for head in mixer.heads]


def without_memory(name: str, geometry: Geometry = DEFAULT) -> Network:
    """The network that reads nothing from that memory: its weights of `out_proj` are zero."""
    netlist, network = _compiled(geometry)
    layers = list(network.layers)
    for index, layer in enumerate(netlist.layers):
        weights = layers[index]
        matrix = weights.matrices["linear_attn.out_proj"]
        width = weights.value_heads // weights.key_heads * weights.value_width
        heads = layer.mixer.heads if layer.mixer is not None else []
        mine = [number for number, head in enumerate(heads) if head.name == name]
        values = np.where(np.isin(matrix.column // width, mine), 0, matrix.value)
        zeroed = dataclasses.replace(matrix, value=values.astype(np.float32))
        matrices = weights.matrices | {"linear_attn.out_proj": zeroed}
        layers[index] = dataclasses.replace(weights, matrices=matrices)
    return dataclasses.replace(network, layers=tuple(layers))


def _kept(layer: Layer, block: str) -> dict[tuple[int, int], float]:
    """(channel, neuron) → what share of the weight is left. Blocks share neurons, so that one
    weight can be several blocks' sum; and a weight that clears a channel is no block's."""
    whole: dict[tuple[int, int], int] = {}
    left: dict[tuple[int, int], int] = {}
    for number, neuron in enumerate(layer.neurons):
        for signal, weight in neuron.outs.items():
            place = signal.channel, number
            whole[place] = whole.get(place, 0) + weight
            left[place] = left.get(place, 0) + weight - neuron.parts.get((signal, block), 0)
    return {place: left[place] / weight for place, weight in whole.items() if weight}


def trial(op: isa.Op, draw: random.Random) -> isa.Instruction:
    """An instruction of that opcode; registers 1 to 3 hold operands, 4 is for the result."""
    immediate = op.name != "bra" and op.reads_b and draw.random() < 0.4
    access = op.is_load or op.is_store
    b = draw.choice((*CORNERS, draw.getrandbits(32))) if immediate else 2
    if op.name in SHIFTS and immediate:
        b = draw.randrange(40)
    if op.name == "bra":
        b, immediate = draw.randrange(DEFAULT.instructions), True
    elif access:
        b, immediate = 4 * draw.randrange(MEMORY // 8), True
    elif op.name == "s2r":
        b, immediate = draw.choice(SPECIALS), False
    elif op.name == "plop":
        b = isa.PLOP_R.put(draw.randrange(8)) | isa.PLOP_TABLE.put(draw.randrange(16))
    rd = draw.randrange(8) if op.writes_predicate else 4
    rc = draw.randrange(8) if op.writes_carry else 3
    return isa.Instruction(
        op.name, rd=rd, ra=5 if access else 1, b=b, bimm=immediate, rc=rc,
        q=draw.randrange(8) if op.reads_q else 0,
    )  # fmt: skip


def words_of(op: isa.Op, engine: Engine, draw: random.Random) -> Iterator[Bits]:
    """What the engine makes of some instructions of the opcode, and of what they stored."""
    pack = Interpreter(engine.geometry).layout.pack
    lanes = np.arange(LANES)
    engine.reset()
    code = [trial(op, draw).encode() for _ in range(TRIES)]
    at = np.arange(0, 32 * TRIES, 32)
    at_memory = np.arange(0, MEMORY, 4)
    noise = [draw.getrandbits(32) for _ in at_memory]
    rows = [engine.geometry.special_row(i, lane) for i in SPECIALS for lane in range(LANES)]
    yield engine.step(pack(TRIES, prog_lo=1, addr=at, value=[c & isa.MASK32 for c in code]))
    yield engine.step(pack(TRIES, prog_hi=1, addr=at, value=[c >> 32 for c in code]))
    yield engine.step(pack(len(noise), mem=1, addr=at_memory, value=noise))
    yield engine.step(pack(len(rows), special=1, addr=rows, value=np.arange(7, 7 + len(rows))))
    for where in at:
        for register in range(1, 6):
            values = [_operand(register, op, draw) for _ in lanes]
            yield engine.step(pack(LANES, exec=1, thread=lanes, we=1, rd=register, value=values))
        yield engine.step(pack(LANES, start=1, run=1, thread=lanes))
        preds = [draw.getrandbits(8) for _ in lanes]
        words = pack(LANES, exec=1, run=1, thread=lanes, addr=where, preds=preds)
        for _ in range(1 if "warp" not in op.lines and "barrier" not in op.lines else PASSES):
            words = engine.step(words)
            yield words
    if op.is_store:
        yield engine.step(pack(len(noise), read=1, addr=at_memory))


def _operand(register: int, op: isa.Op, draw: random.Random) -> int:
    if register == 3 and "warp" in op.lines:
        return (1 << LANES) - 1
    if register == 5:
        return 4 * draw.randrange(MEMORY // 8)
    if register == 2 and op.name in SHIFTS and draw.random() < 0.8:
        return draw.randrange(40)
    small = draw.randrange(256)
    return draw.choice((draw.getrandbits(32), draw.getrandbits(32), small, *CORNERS))


def fails(op: str, network: Network, geometry: Geometry = DEFAULT, seed: int = 1) -> bool:
    """Some word of some instruction of that opcode is not the interpreter's."""
    engines = Interpreter(geometry), SparseEngine(geometry, network)
    right, came = (words_of(isa.OPS[op], engine, random.Random(seed)) for engine in engines)
    return any(not np.array_equal(a, b) for a, b in zip(right, came, strict=True))


def failing(network: Network, geometry: Geometry = DEFAULT) -> set[str]:
    return {op for op in isa.OPS if fails(op, network, geometry)}


def page() -> str:
    parts = [
        HEAD.format(tries=TRIES, lanes=LANES),
        _table({name: failing(without(name)) for name in blocks()}),
        MIDDLE,
        _table({name: failing(without_memory(name)) for name in memories()}),
    ]
    return "".join(parts)


def _table(found: dict[str, set[str]]) -> str:
    lines = [f"| instruction | {' | '.join(found)} |\n", "|---|" + ":-:|" * len(found) + "\n"]
    for op in isa.OPS:
        marks = ("x" if op in fails_without else " " for fails_without in found.values())
        lines.append(f"| `{op}` | {' | '.join(marks)} |\n")
    return "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
