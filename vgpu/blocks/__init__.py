"""The machine as a circuit: one file a block, named after what a GPU calls it.

front       the word's fields, instruction fetch, barrier census       layer 0
decode      opcode lines, guard, operand addresses, pc + 1             layer 0
registers   the register file: three ports and the special registers   layer 1
adder       add, subtract and the flags of a comparison
multiplier  the full product plus c
shifter     left, right and arithmetic shifts
logic       and, or, xor, not
memory      address, alignment, byte lanes: loads and stores
predicates  comparisons, predicate logic, minimum, maximum, selection
control     next pc, barriers, the thread's state, faults
"""

from __future__ import annotations

from functools import lru_cache

from vgpu.blocks import (
    adder,
    control,
    decode,
    front,
    logic,
    memory,
    multiplier,
    predicates,
    registers,
    shifter,
)
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry


def build(geometry: Geometry) -> Netlist:
    """The whole machine's netlist; its inputs and outputs are the bits of `vgpu.word`."""
    n = Netlist()
    word = front.word(n, geometry)
    f = front.build(n, geometry, word)
    d = decode.build(n, geometry, word, f)
    r = registers.build(n, geometry, word, d)
    value = [n.signal(f"value.{i}") for i in range(geometry.width)]
    ands = logic.build(n, geometry, d, r, value)
    flags = adder.build(n, geometry, d, r, value)
    multiplier.build(n, geometry, d, r, ands, value)
    shifter.build(n, geometry, d, r, value)
    access = memory.build(n, geometry, word, d, r, value)
    predicate_changes = predicates.build(n, geometry, d, r, flags, value)
    control.build(n, geometry, word, f, d, r, access, value, predicate_changes)
    return n


@lru_cache
def netlist(geometry: Geometry) -> Netlist:
    return build(geometry)
