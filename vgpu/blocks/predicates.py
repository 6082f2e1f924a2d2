"""Predicates: comparisons, predicate logic, and the choices that hang on a predicate or flag."""

from __future__ import annotations

from vgpu import isa
from vgpu.blocks.adder import Flags
from vgpu.blocks.decode import Decoded
from vgpu.blocks.registers import Operands
from vgpu.circuit.form import Signal, literal
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry


def build(
    n: Netlist, g: Geometry, d: Decoded, r: Operands, flags: Flags, value: list[Signal]
) -> Signal:
    """Adds the chosen operand to `value`; returns the new value of the written predicate."""
    n.block("predicates")
    result = n.signal("predicate")
    ge, less = flags.ge, literal(flags.ge, 0)
    equal, unequal = flags.eq.form(), literal(flags.eq, 0)
    n.all_into(result, [d.gated["p_eq"], equal])
    n.all_into(result, [d.gated["p_ne"], unequal])
    n.all_into(result, [d.gated["p_lt"], less])
    n.all_into(result, [d.gated["p_ge"], ge])
    n.all_into(result, [d.gated["p_gt"], ge, unequal])
    n.neuron(d.gated["p_le"], {result: 1})
    n.all_into({result: -1}, [d.gated["p_le"], ge, unequal])
    n.all_into(result, [d.gated["carry"], ge])
    n.all_into(result, [d.gated["borrow"], less])
    table = d.code["imm"][isa.PLOP_TABLE.low :][: isa.PLOP_TABLE.width]
    for row, bit in enumerate(table):
        q, r_ = literal(d.q, row >> 1), literal(d.r, row & 1)
        n.all_into(result, [d.gated["p_logic"], bit, q, r_])
    _choose(n, d, r, flags, value)
    return result


def _choose(n: Netlist, d: Decoded, r: Operands, flags: Flags, value: list[Signal]) -> None:
    """mov, selp, min and max: a or b."""
    take_a, take_b = n.signal("take_a"), n.signal("take_b")
    minimum, maximum, select = (d.gated[name] for name in ("minimum", "maximum", "select"))
    ge, less = flags.ge, literal(flags.ge, 0)
    n.all_into(take_a, [minimum, less])
    n.all_into(take_a, [maximum, ge])
    n.all_into(take_a, [select, d.q])
    n.all_into(take_b, [minimum, ge])
    n.all_into(take_b, [maximum, less])
    n.all_into(take_b, [select, literal(d.q, 0)])
    n.neuron(d.gated["take_b"], {take_b: 1})
    for out, a, b in zip(value, r.a, r.b, strict=True):
        n.select_into(out, take_a, a)
        n.select_into(out, take_b, b)
