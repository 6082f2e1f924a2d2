"""Logic: and, or, xor, not, all from the 32 products a_i b_i, which the multiplier needs too."""

from __future__ import annotations

from vgpu.blocks.decode import Decoded
from vgpu.blocks.registers import Operands
from vgpu.circuit.form import Signal
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry


def build(n: Netlist, g: Geometry, d: Decoded, r: Operands, value: list[Signal]) -> list[Signal]:
    """Adds the result to `value`; returns the products a_i b_i.

    or = a + b - ab, xor = a + b - 2ab.
    """
    n.block("logic")
    ands = [n.signal(f"and{i}") for i in range(g.width)]
    for i, product in enumerate(ands):
        n.select_into(product, r.a[i], r.b[i])
    l_and, l_or, l_xor = (d.gated[name] for name in ("l_and", "l_or", "l_xor"))
    for i, out in enumerate(value):
        n.select_into(out, l_and, ands[i])
        n.select_into(out, (l_or + l_xor).bounded(0, 1), r.a[i] + r.b[i])
        n.neuron((l_or + 2 * l_xor).bounded(0, 2), {out: -1}, ands[i])
        n.select_into(out, d.gated["l_not"], 1 - r.b[i])
    return ands
