"""Adder: a + b, a - b, and what a comparison needs to know of a - b."""

from __future__ import annotations

from dataclasses import dataclass

from vgpu.blocks.decode import Decoded
from vgpu.blocks.registers import Operands
from vgpu.circuit.carries import carries, sum_bits
from vgpu.circuit.form import Form, Signal, literal, number
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry


@dataclass
class Flags:
    """`ge`: the carry out of the sum; when the opcode compares, a >= b, signed or not. `eq`: a = b,
    when it compares."""

    ge: Form
    eq: Signal


def build(n: Netlist, g: Geometry, d: Decoded, r: Operands, value: list[Signal]) -> Flags:
    """Subtraction is a + ~b + 1. Adds the sum to `value`.

    A signed comparison is the unsigned one of operands with flipped sign bits: in the sum of a
    and ~b that turns a top column of 0 into 2 and 2 into 0.
    """
    n.block("adder")
    invert, signed = d.line["invert"], d.line["signed"]
    columns = [n.signal(f"sum.x{i}", 0, 2) for i in range(g.width)]
    for i, column in enumerate(columns):
        n.neuron(r.a[i], {column: 1})
        n.neuron(r.b[i] - invert, {column: 1})
        n.neuron(invert - r.b[i], {column: 1})
    a, b, top = r.a[-1], r.b[-1], columns[-1]
    n.all_into({top: 2}, [signed, literal(a, 0), b])
    n.all_into({top: -2}, [signed, a, literal(b, 0)])
    carry, digits = carries(n, "sum", columns, _carry_in(n, d))
    for out, bit in zip(value, sum_bits(columns, carry), strict=True):
        n.select_into(out, d.gated["add"], bit)
    # Equal means that every column of a + ~b is 1: every group propagates.
    eq = n.signal("equal")
    spread = number(digits)
    everything = (1 << len(digits)) - 1
    for offset, weight in ((-1, 1), (0, -2), (1, 1)):
        n.neuron(spread - (everything + offset), {eq: weight})
    return Flags(carry[-1], eq)


def _carry_in(n: Netlist, d: Decoded) -> Signal:
    """1 for a subtraction, 0 for an addition; with a source predicate, that or its complement."""
    carry, invert, extended = n.signal("sum.carry_in"), d.line["invert"], d.line["carry_in"]
    n.neuron(invert, {carry: 1})
    n.all_into({carry: -1}, [invert, extended, d.q])
    n.all_into(carry, [extended, d.q, literal(invert, 0)])
    return carry
