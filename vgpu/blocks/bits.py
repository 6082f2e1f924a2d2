"""Bits: count leading zeros, population count, bit reverse, byte permute."""

from __future__ import annotations

from vgpu.blocks.decode import Decoded
from vgpu.blocks.registers import Operands
from vgpu.circuit.form import Operand, Signal, literal, total
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry

BYTES = 4


def build(n: Netlist, g: Geometry, d: Decoded, r: Operands, value: list[Signal]) -> None:
    n.block("bits")
    _counts(n, g, d, r, value)
    for out, bit in zip(value, reversed(r.b), strict=True):
        n.select_into(out, d.gated["brev"], bit)
    _permute(n, g, d, r, value)


def _counts(n: Netlist, g: Geometry, d: Decoded, r: Operands, value: list[Signal]) -> None:
    """popc is the sum of the bits. clz is how many of the width's tails b >> k are zero: all bits
    from k up are zero for exactly clz values of k. One conversion to binary serves both."""
    count = n.signal("count", 0, g.width)
    n.select_into(count, d.gated["popc"], total(r.b))
    for k in range(g.width):
        gate = d.gated["clz"] - total(r.b[k:])
        n.neuron(gate.bounded(gate.lo, 1), {count: 1})
    places = range(g.width.bit_length())
    n.lookup(
        count, {value[p]: [x >> p & 1 for x in range(g.width + 1)] for p in places if p < g.width}
    )


def _permute(n: Netlist, g: Geometry, d: Decoded, r: Operands, value: list[Signal]) -> None:
    """Byte `place` of the result is the byte of (c:a) that nibble `place` of b names; with the
    nibble's top bit set, that byte's sign eight times."""
    source = [*r.a, *r.c]
    for place in range(BYTES):
        nibble: list[Operand] = [*r.b[4 * place : 4 * place + 4]]
        nibble += [0] * (4 - len(nibble))
        target = value[place * g.byte : (place + 1) * g.byte]
        for byte in range(2 * BYTES):
            spelled = [literal(bit, byte >> k & 1) for k, bit in enumerate(nibble[:3])]
            bits = source[byte * g.byte : (byte + 1) * g.byte]
            acts = d.gated["prmt"]
            plain = n.all_of(f"prmt{place}.{byte}", acts, *spelled, literal(nibble[3], 0))
            for out, bit in zip(target, bits, strict=True):
                n.select_into(out, plain, bit)
            sign = n.all_of(f"prmt{place}.sign{byte}", acts, *spelled, nibble[3])
            n.neuron(sign, {out: 1 for out in target}, bits[-1])
