"""Where a pass spends its time, and the weights by layer and block: `python -m vgpu.profile`.

Prints Markdown. Ticks are those of the processor's clock counter; the least of several runs counts.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Final

import numpy as np
import numpy.typing as npt

from vgpu import asm
from vgpu.blocks import build
from vgpu.circuit.emit import emit
from vgpu.circuit.form import Form
from vgpu.circuit.memory import KeyHead
from vgpu.engines.sparse import SparseEngine
from vgpu.geometry import DEFAULT
from vgpu.network import network_for
from vgpu.program import Program
from vgpu.runtime import Machine

PARTS: Final = ("addresses", "projections", "memories", "neurons")  # of a layer, in this order
LANES: Final = (1, 8, 32)
RUNS: Final = 15
PASSES: Final = 99
# Adds, compares and jumps: two reads of a register, and a write every third pass.
LOOP: Final = """
mov r1, 0
loop: add r1, r1, 1
setp.lt.s p0, r1, 400
@p0 bra loop
exit
"""
Ticks = npt.NDArray[np.float64]


def ticks(lanes: int) -> Ticks:
    """Ticks of one pass by part: the embedding, four parts a layer, the head."""
    engine = SparseEngine.for_geometry(DEFAULT)
    engine.options = ("-DCOUNT_TICKS",)
    machine = Machine(engine)
    program = Program("loop", tuple(asm.assemble(LOOP)))
    at, pack = engine.layout.offsets, engine.layout.pack
    runs = []
    for _ in range(RUNS):
        machine.run(program, {}, block=lanes)
        counted = engine.ticks(lanes)
        counted[:] = 0
        words = pack(lanes, exec=1, run=1, thread=np.arange(lanes), addr=1, we=1, rd=1, value=5)
        _, passes, _, _ = engine.advance(words, PASSES, [at["run"]], [at["f_op"]], False)
        runs.append(counted / passes)
    best: Ticks = np.min(runs, axis=0)
    return best


def ticks_a_microsecond() -> float:
    """How fast the clock counter runs."""
    engine = SparseEngine.for_geometry(DEFAULT)
    engine.options = ("-DCOUNT_TICKS",)
    words = engine.layout.pack(32, exec=1)
    engine.step(words)
    engine.ticks(32)[:] = 0
    started = time.perf_counter()
    engine.advance(words, 1000, [], [], False)
    return float(engine.ticks(32).sum() / (time.perf_counter() - started) / 1e6)


def time_table() -> str:
    unit = ticks_a_microsecond()
    lines = ["| lanes | layer | " + " | ".join(PARTS) + " | all |", "|---:|---|" + "---:|" * 5]
    for lanes in LANES:
        taken = ticks(lanes) / unit
        layers = taken[1:-1].reshape(-1, len(PARTS))
        for index, row in enumerate(layers):
            lines.append(_time_row(str(lanes), str(index), row))
        ends = taken[0] + taken[-1]
        lines.append(f"| {lanes} | words in and out | | | | | {ends:.1f} |")
        lines.append(_time_row(f"**{lanes}**", "**all**", layers.sum(axis=0), ends))
    return "\n".join(lines) + "\n"


def _time_row(lanes: str, layer: str, row: Ticks, more: float = 0.0) -> str:
    cells = " | ".join(f"{value:.1f}" for value in row)
    return f"| {lanes} | {layer} | {cells} | {row.sum() + more:.1f} |"


def weight_table() -> str:
    """Non-zeros by layer and matrix."""
    network = network_for(DEFAULT)
    names = [*network.layers[0].matrices]
    short = [name.split(".")[1].removeprefix("in_proj_") for name in names]
    lines = ["| layer | neurons | " + " | ".join(short) + " | all |"]
    lines.append("|---|" + "---:|" * (len(names) + 2))
    for index, layer in enumerate(network.layers):
        counts = [layer.matrices[name].nonzeros for name in names]
        lines.append(f"| {index} | {layer.neurons:,} | {_cells(counts)} |")
    sums = [sum(layer.matrices[n].nonzeros for layer in network.layers) for n in names]
    lines.append(f"| all | {network.neurons:,} | {_cells(sums)} |")
    lines.append(f"\nThe head has {network.head.nonzeros}; all together {network.nonzeros:,}.")
    return "\n".join(lines) + "\n"


def _cells(counts: list[int]) -> str:
    return " | ".join(f"{count:,}" for count in [*counts, sum(counts)])


def _size(form: Form | None) -> int:
    return len(form.terms) + bool(form.const) if form is not None else 0


def _head_size(head: KeyHead) -> int:
    rows = sum(map(_size, [*head.query, *head.key]))
    for bank in head.banks:
        rows += _size(bank.write)
        for part in bank.components.values():
            rows += _size(part.data) + _size(part.gate) + len(part.outs)
    return rows


def block_table() -> str:
    """Non-zeros of neurons by block, and of memories."""
    netlist = build(DEFAULT)
    emit(netlist, DEFAULT.hidden)
    neurons: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    memories: Counter[str] = Counter()
    for layer in netlist.layers:
        for neuron in layer.neurons:
            neurons[neuron.block] += 1
            weights[neuron.block] += _size(neuron.gate) + _size(neuron.up) + len(neuron.outs)
        for head in layer.mixer.heads if layer.mixer else ():
            memories[head.name] += _head_size(head)
    lines = ["| block | neurons | weights |", "|---|---:|---:|"]
    lines += [f"| {b} | {neurons[b]:,} | {w:,} |" for b, w in weights.most_common()]
    lines += ["\n| memory | weights |", "|---|---:|"]
    lines += [f"| {name} | {count:,} |" for name, count in memories.most_common()]
    return "\n".join(lines) + "\n"


def main() -> None:
    print("## Weights by layer\n")
    print(weight_table())
    print("## Weights by block\n")
    print(block_table())
    print("## Microseconds of a pass\n")
    print(time_table())


if __name__ == "__main__":
    main()
