"""Shifter: one funnel to the right, by a multiple of eight and then by 0 to 7.

The word pair (high:low) is (0:a), (sign:a) or (c:a) for a right shift; a left shift by n is the
shift of (a:0) or (a:c) to the right by width - n. Amounts of the width and more give zeros, sign
bits, or for a clamped funnel shift all of c, as PTX says; a wrapped one takes the amount modulo the
width.
"""

from __future__ import annotations

from collections.abc import Sequence

from vgpu.blocks.decode import Decoded
from vgpu.blocks.registers import Operands
from vgpu.circuit.form import Form, Signal, literal, total
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry, bits_for


def build(n: Netlist, g: Geometry, d: Decoded, r: Operands, value: list[Signal]) -> None:
    n.block("shifter")
    width, amount_bits = g.width, bits_for(g.width)
    fine_bits = (amount_bits + 1) // 2
    step = 1 << fine_bits
    fine_amount, coarse_amount = r.b[:fine_bits], r.b[fine_bits:amount_bits]
    beyond = total(r.b[amount_bits:])
    sign = n.all_of("shift.sign", d.line["arith"], r.a[-1])
    rights, lefts = _coarse(n, d, fine_amount, coarse_amount, beyond)
    coarse = [n.signal(f"shift.coarse{j}") for j in range(width + step - 1)]
    for j, out in enumerate(coarse):
        for c, chosen in enumerate(rights):
            at = j + step * c
            # c is 0 unless the opcode reads it, the sign 0 unless it is arithmetic.
            high = r.c[at - width] + sign if width <= at < 2 * width else sign.form()
            n.select_into(out, chosen, r.a[at].form() if at < width else high.bounded(0, 1))
        for c, chosen in enumerate(lefts):
            at = j + step * c
            if at < 2 * width:
                n.select_into(out, chosen, r.a[at - width] if at >= width else r.c[at])
    fine = _fine(n, d, fine_amount)
    for i, out in enumerate(value):
        for f, chosen in enumerate(fine):
            n.select_into(out, chosen, coarse[i + f])
    too_far = n.step("shift.too_far", beyond, 1)
    n.all_into({out: 1 for out in value}, [d.gated["arith"], sign, too_far])
    clamped = n.all_of("shift.clamped", d.gated["clamp"], too_far)
    for out, bit in zip(value, r.c, strict=True):
        n.select_into(out, clamped, bit)


def _spelled(bits: Sequence[Signal], number: int) -> list[Form]:
    return [literal(bit, number >> i & 1) for i, bit in enumerate(bits)]


def _coarse(
    n: Netlist, d: Decoded, fine: Sequence[Signal], coarse: Sequence[Signal], beyond: Form
) -> tuple[list[Signal], list[Signal]]:
    """One-hot multiples of the step: of the amount, and of width - amount for a left shift.

    All are off when a high bit of the amount is set, unless the shift wraps.
    """
    count = 1 << len(coarse)
    left, wrap = d.line["left"], d.line["wrap"]
    right = d.line["shift"] - left
    rights = [n.signal(f"shift.right{c}") for c in range(count)]
    lefts = [n.signal(f"shift.left{c}") for c in range(count + 1)]

    def chosen(out: dict[Signal, int], literals: list[Form]) -> None:
        gate = total([*literals, literal(wrap, 0)]) - len(literals) - beyond
        n.neuron(gate.bounded(gate.lo, 1), out)
        n.all_into(out, [*literals, wrap])

    for c in range(count):
        chosen({rights[c]: 1}, [right, *_spelled(coarse, c)])
        chosen({lefts[count - 1 - c]: 1}, [left.form(), *_spelled(coarse, c)])
        whole = {lefts[count - c]: 1, lefts[count - 1 - c]: -1}
        chosen(whole, [left.form(), *_spelled(coarse, c), *_spelled(fine, 0)])
    return rights, lefts


def _fine(n: Netlist, d: Decoded, amount: Sequence[Signal]) -> list[Signal]:
    """One-hot rest of the amount, of its negative for a left shift; only when the lane acts."""
    count = 1 << len(amount)
    shift, left = d.gated["shift"], d.gated["left"]
    fine = [n.signal(f"shift.fine{f}") for f in range(count)]
    for f in range(count):
        n.all_into(fine[f], [shift - left, *_spelled(amount, f)])
        n.all_into(fine[-f % count], [left, *_spelled(amount, f)])
    return fine
