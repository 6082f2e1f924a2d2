"""`isspacep`: in which part of the one memory an address lies (PTX ISA 9.7.9).

Where the parts begin is fixed when the program is laid out, but for the end of shared memory, which
the launch may extend: there the stacks begin, and a thread knows its own.
"""

from __future__ import annotations

from typing import Final

from codegen.lower import wide
from codegen.lower.context import WARP_SIZE, Lowering, Opcode
from codegen.lower.layout import CONST_BEGIN, DATA_BEGIN, SHARED_BEGIN
from codegen.lower.mir import OR, Reg, Symbol, Value
from codegen.lower.rules import operands, rule
from codegen.ptx import ast
from vgpu.isa import SPECIALS
from vgpu.program import PARAM_BASE

STACK_BYTES: Final = "bytes of a thread's stack"
_AND_NOT: Final = 0b0100
_SPACES: Final = "global shared shared::cta const local param param::entry"


@rule("isspacep", "none", _SPACES)
def is_in_space(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """p = a is an address of the space. Another thread's stack counts as global memory."""
    d, a = operands(low, i, 2)
    if len(o.mods) != 1:
        low.unsupported(f"one of {', '.join(_SPACES.split())} is expected")
    p, address = low.predicate(d)[0], low.reg(wide.low_word(low, a))
    space = o.mods[0].split("::")[0]
    if space != "global":
        low.logic(p, (_inside(low, address, *_bounds(low, space)), False))
        return
    # what lies in no other part
    other = _inside(low, address, PARAM_BASE, Symbol(DATA_BEGIN))
    for part in ("const", "shared", "local"):
        here = _inside(low, address, *_bounds(low, part))
        other = low.logic(low.new(predicate=True), (other, False), here, OR)
    low.logic(p, (other, True))


def _bounds(low: Lowering, space: str) -> tuple[Value, Value]:
    """(first address, the one after the last)."""
    if space == "param":
        return PARAM_BASE, Symbol(DATA_BEGIN)
    if space == "const":
        return Symbol(CONST_BEGIN), Symbol(SHARED_BEGIN)
    own = low.emit("s2r", low.new(), b=SPECIALS["%local"])
    if space == "local":
        return own, low.emit("add", low.new(), own, Symbol(STACK_BYTES))
    warp, lane = (low.emit("s2r", low.new(), b=SPECIALS[s]) for s in ("%warpid", "%laneid"))
    thread = low.emit("mad", low.new(), warp, WARP_SIZE, c=lane)
    below = low.emit("mul", low.new(), thread, Symbol(STACK_BYTES))
    return Symbol(SHARED_BEGIN), low.emit("sub", low.new(), own, below)


def _inside(low: Lowering, address: Reg, first: Value, end: Value) -> Reg:
    above, beyond = low.new(predicate=True), low.new(predicate=True)
    low.emit("setp.ge.u", above, address, first)
    low.emit("setp.ge.u", beyond, address, end)
    return low.logic(low.new(predicate=True), (above, False), beyond, _AND_NOT)
