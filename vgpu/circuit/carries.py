"""Carry look-ahead over a sum of columns, in two layers of neurons.

Column i counts 0, 1 or 2 ones of weight 2**i (two rows to be added). In groups of eight, one
layer gives for every position whether the columns below it *generate* a carry (2), would only
*propagate* one that comes into the group (1), or neither (0): with V the value of those columns,

    D = [V >= 2**j] + [V + 1 >= 2**j] = max(V - 2**j + 2, 0) - max(V - 2**j, 0).

D is itself a digit 0, 1 or 2, so the carry into any position is one more such sum, over the
D of the whole groups below it and its own, and the second layer is a single step.
"""

from __future__ import annotations

from collections.abc import Sequence

from vgpu.circuit.form import Form, Operand, Signal, as_form, number
from vgpu.circuit.netlist import Netlist

GROUP = 8


def digit(n: Netlist, name: str, columns: Sequence[Operand]) -> Signal:
    """2: the columns generate a carry; 1: they propagate one; 0: neither."""
    signal = n.signal(name, 0, 2)
    value, top = number(columns), 1 << len(columns)
    n.neuron(value - (top - 2), {signal: 1})
    n.neuron(value - top, {signal: -1})
    return signal


def carry(n: Netlist, name: str, value: Form, bits: int) -> Form:
    """[value >= 2**bits], where value is the columns below position `bits`."""
    return n.step(name, value, 1 << bits).form() if value.hi >> bits else as_form(0)


def carries(
    n: Netlist, name: str, columns: Sequence[Operand], carry_in: Operand = 0
) -> tuple[list[Form], list[Signal]]:
    """Carries into positions 0 to len(columns), and the digit of every whole group.

    The digit of group 0 ignores the carry in. Sum bit i is
    `columns[i] + carry[i] - 2 * carry[i + 1]`: see `sum_bits`.
    """
    width = len(columns)
    first = columns[:GROUP]
    result = [as_form(carry_in)]
    for j in range(1, len(first) + 1):
        result.append(carry(n, f"{name}.c{j}", number(first[:j]) + as_form(carry_in), j))
    generated = 2 * result[-1]
    digits = [digit(n, f"{name}.d0", first)]
    below: list[Form] = [generated]
    for start in range(GROUP, width, GROUP):
        group = columns[start : start + GROUP]
        so_far = number(below)
        inside = [digit(n, f"{name}.d{start + j}", group[:j]) for j in range(1, len(group) + 1)]
        weight = 1 << len(below)
        for j, d in enumerate(inside, 1):
            step = n.step(f"{name}.c{start + j}", so_far + weight * d, 2 * weight)
            result.append(step.form())
        below.append(inside[-1].form())
        digits.append(inside[-1])
    return result, digits


def sum_bits(columns: Sequence[Operand], carry: Sequence[Form]) -> list[Form]:
    """The binary digits of the sum, as forms that cost nothing."""
    return [
        (as_form(column) + carry[i] - 2 * carry[i + 1]).bounded(0, 1)
        for i, column in enumerate(columns)
    ]
