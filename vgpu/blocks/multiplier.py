"""Multiplier: the full double-width product of a and b plus c, unsigned or signed.

1. every a_i b_j, one neuron each, adds straight into the count of its column
2. counts (at most the width) to binary, spread over the columns above; c joins here
3. counts (at most 7) to binary      4. counts (at most 3) to two rows
5. the group digits of the carries   6. the carries      7. the chosen half of the sum
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vgpu.blocks.decode import Decoded
from vgpu.blocks.registers import Operands
from vgpu.circuit.carries import carries, sum_bits
from vgpu.circuit.form import Signal
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry


def build(
    n: Netlist, g: Geometry, d: Decoded, r: Operands, ands: list[Signal], value: list[Signal]
) -> None:
    """Adds the low or the high half of the product to `value`."""
    n.block("multiplier")
    columns = _products(n, g, d, r)
    stage = 0
    while max(column.hi for column in columns) > 2:
        stage += 1
        columns = _to_binary(n, f"mul{stage}", columns, r.c if stage == 1 else [])
    carry, _ = carries(n, "mul", columns)
    product = sum_bits(columns, carry)
    for i, out in enumerate(value):
        n.select_into(out, d.gated["mul_lo"], product[i])
        n.select_into(out, d.gated["mul_hi"], product[g.width + i])


def _products(n: Netlist, g: Geometry, d: Decoded, r: Operands) -> list[Signal]:
    """Column counts of the product.

    Signed (Baugh and Wooley, 1973): a product with one sign bit in it counts negatively, and
    -p * 2**k = (1 - p) * 2**k - 2**k; the powers of two left over add up to one more in the
    middle column and one in the last.
    """
    width, last = g.width, 2 * g.width - 1
    most = [min(k + 1, last - k) for k in range(last)] + [1]
    most[width] += 1
    columns = [n.signal(f"mul0.x{k}", 0, most[k]) for k in range(2 * width)]
    for i in range(width):
        for j in range(width):
            n.select_into(columns[i + j], r.a[i], r.b[j])
    signed = d.line["mul_signed"]
    ones: dict[Signal, int] = {columns[width]: 1, columns[last]: 1}
    for j in range(width - 1):
        column = columns[width - 1 + j]
        n.all_into({column: -2}, [signed, r.a[-1]], r.b[j])
        n.all_into({column: -2}, [signed, r.b[-1]], r.a[j])
        ones[column] = ones.get(column, 0) + 2
    n.neuron(signed, ones)
    return columns


def _to_binary(
    n: Netlist, name: str, columns: Sequence[Signal], addend: Sequence[Signal]
) -> list[Signal]:
    """Every column's count in binary, digit b added to the column b places up."""
    most = [0] * len(columns)
    for k, column in enumerate(columns):
        for b in range(column.hi.bit_length()):
            if k + b < len(columns):
                most[k + b] += 1
        most[k] += k < len(addend)
    result = [n.signal(f"{name}.x{k}", 0, max(m, 1)) for k, m in enumerate(most)]
    for k, column in enumerate(columns):
        places = range(min(column.hi.bit_length(), len(columns) - k))
        n.lookup(column, {result[k + b]: _digit(b) for b in places})
    for k, bit in enumerate(addend):
        n.neuron(bit, {result[k]: 1})
    return result


def _digit(place: int) -> Callable[[int], int]:
    return lambda count: count >> place & 1
