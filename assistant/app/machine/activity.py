"""How many neurons of each layer an instruction lights, measured on the network.

`python -m assistant.app.machine.activity` measures anew: each instruction is run once by the dense
engine, and the neurons of each layer that give something else than 0 are counted in the pass that
executes it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from vgpu import isa
from vgpu.isa import Instruction
from vgpu.program import Program

FILE = Path(__file__).with_suffix(".json")
_VALUES = {2: 0xF234_5678, 3: 5, 4: 0x0F0F_00FF, 5: 1}  # registers that the instruction reads
_ADDRESS = 64


@lru_cache(1)
def table() -> dict[str, Any]:
    """{"neurons": a layer each, "idle": and "active": by instruction, lit neurons a layer}."""
    record: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return record


def of_pass(ops: Iterable[str | None]) -> list[float]:
    """The share of each layer's neurons that a pass lights, from what its lanes execute (None: a
    lane that is done): the mean over the lanes, 0 to 1 of the layer's busiest instruction."""
    known = table()
    rows = [known["active"].get(op, known["idle"]) if op else known["idle"] for op in ops]
    if not rows:
        return [0.0] * len(known["neurons"])
    most = [max(counts) for counts in zip(*known["active"].values(), strict=True)]
    sums = [sum(layer) / len(rows) for layer in zip(*rows, strict=True)]
    return [total / max(top, 1) for total, top in zip(sums, most, strict=True)]


def _sample(op: isa.Op) -> Instruction:
    """The instruction with operands that let it run through."""
    reads_address = "[a+i]" in op.operands
    if reads_address:
        return Instruction(op.name, rd=1, ra=None, b=_ADDRESS, bimm=True, rc=4)
    if op.name == "bra":
        return Instruction(op.name, b=len(_VALUES) + 1, bimm=True)
    if op.name == "plop":
        return Instruction(op.name, rd=1, q=1, b=isa.PLOP_TABLE.put(9), bimm=True)
    if "m" in op.operands:  # lane 0 meets itself
        return Instruction(op.name, rd=1, ra=2, b=0, bimm=True, rc=5)
    if "s" in op.operands:
        return Instruction(op.name, rd=1, b=isa.SPECIALS["%tid.x"], bimm=True)
    return Instruction(op.name, rd=1, ra=2, b=3, rc=4)


def _program(op: isa.Op) -> Program:
    moves = [Instruction("mov", rd=r, b=value, bimm=True) for r, value in _VALUES.items()]
    code = [*moves, _sample(op), Instruction("exit")]
    return Program(op.name, tuple(i.encode() for i in code))


def measure(names: Iterable[str] | None = None) -> dict[str, Any]:
    """The table, of all instructions or those named."""
    import vgpu
    from vgpu.errors import RunError

    machine = vgpu.Machine(engine="dense")
    layers = list(machine.engine.model.layers)  # type: ignore[attr-defined]
    counts: list[list[int]] = []
    hooks = list(_hooks(layers, counts))
    active: dict[str, list[int]] = {}
    try:
        for op in map(isa.OPS.__getitem__, names or isa.OPS):
            counts.clear()
            with contextlib.suppress(RunError):  # a trap is meant to fault
                machine.run(_program(op), {})
            # two rows of the prompt, then a row a pass
            active[op.name] = counts[2 + len(_VALUES)]
        counts.clear()
        machine.engine.step(machine.layout.pack(1, exec=1))
        idle = counts[0]
    finally:
        for hook in hooks:
            hook.remove()
    neurons = [layer.mlp.down_proj.in_features for layer in layers]
    return {"isa": isa.FINGERPRINT, "neurons": neurons, "idle": idle, "active": active}


def _hooks(layers: list[Any], counts: list[list[int]]) -> Iterator[Any]:
    for index, layer in enumerate(layers):

        def seen(_module: Any, inputs: tuple[Any, ...], index: int = index) -> None:
            if index == 0:
                counts.append([])
            counts[-1].append(int((inputs[0] != 0).any(dim=(0, 1)).sum()))

        yield layer.mlp.down_proj.register_forward_pre_hook(seen)


if __name__ == "__main__":
    FILE.write_text(json.dumps(measure()).replace("], ", "],\n ") + "\n", "utf-8")
