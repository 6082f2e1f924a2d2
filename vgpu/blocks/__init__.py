"""The machine as a circuit: one file a block, named after what a GPU calls it.

front       the word's fields, instruction fetch                        layer 0
decode      opcode lines, guard, operand addresses, pc + 1              layer 0
registers   the register file: three ports and the special registers    layer 1
logic       and, or, xor, not
adder       add, subtract and the flags of a comparison
multiplier  the full product plus c
shifter     left, right, arithmetic and funnel shifts
bits        leading zeros, population count, bit reverse, byte permute
sync        barriers, shuffles, votes: what lanes know of each other    layer 2
memory      address, alignment, holds, byte lanes: loads and stores     layers 3 and 4
predicates  comparisons, predicate logic, minimum, maximum, selection
control     next pc, the thread's state, predicates, faults
"""

from __future__ import annotations

from vgpu.blocks import (
    adder,
    bits,
    control,
    decode,
    front,
    logic,
    memory,
    multiplier,
    predicates,
    registers,
    shifter,
    sync,
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
    bits.build(n, geometry, d, r, value)
    meeting = sync.build(n, geometry, word, f, d, r, value)
    access = memory.build(n, geometry, word, d, r, value)
    predicate_changes = predicates.build(n, geometry, d, r, flags, value)
    control.build(n, geometry, word, f, d, r, access, meeting, value, predicate_changes)
    return n
