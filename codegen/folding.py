"""Did the compiler compute the result outside the network?

clang folds a kernel that depends on nothing: `*out = 6 * 7` becomes a store of 42. Such a program
only stores what the compiler computed, and a run must say so.
"""

from __future__ import annotations

from collections.abc import Sequence

from vgpu.isa import OPS, Instruction, decode
from vgpu.program import PARAM_BASE, Param

_CONSTANT = 0  # known when compiling: an immediate or a copy of one
_POINTER = 1  # a pointer parameter, or an address made from pointers and constants
_COMPUTED = 2  # anything that the machine has to work out


def is_folded(code: Sequence[int], params: Sequence[Param]) -> bool:
    """True when every value stored is a constant, and nothing that the machine works out decides
    where or whether it is stored. Registers are judged by all their writes together."""
    instructions = [i for i in map(decode, code) if i is not None]
    stores = [i for i in instructions if OPS[i.op].is_store]
    if not stores:
        return False
    pointers = {PARAM_BASE + p.offset for p in params if p.pointer}
    kinds = _register_kinds(instructions, pointers)
    if any(kinds[i.rc] != _CONSTANT for i in stores):
        return False
    if any(_operands(i, kinds) == _COMPUTED for i in stores):
        return False
    compares = [i for i in instructions if OPS[i.op].writes_predicate or OPS[i.op].reads_q]
    return all(_operands(i, kinds) == _CONSTANT for i in compares)


def _register_kinds(instructions: Sequence[Instruction], pointers: set[int]) -> list[int]:
    """The most that any write makes of each register; a fixed point over all instructions."""
    kinds = [_CONSTANT] * 32
    changed = True
    while changed:
        changed = False
        for i in instructions:
            if not OPS[i.op].writes_register:
                continue
            kind = max(kinds[i.rd], _written(i, kinds, pointers))
            changed |= kind != kinds[i.rd]
            kinds[i.rd] = kind
    return kinds


def _written(i: Instruction, kinds: Sequence[int], pointers: set[int]) -> int:
    op = OPS[i.op]
    if op.is_load:
        return _POINTER if i.ra is None and i.bimm and i.b in pointers else _COMPUTED
    if op.name == "mov":
        return _operands(i, kinds)
    if op.name in ("add", "sub"):
        kind = _operands(i, kinds)
        return kind if kind == _POINTER else _COMPUTED
    return _COMPUTED


def _operands(i: Instruction, kinds: Sequence[int]) -> int:
    """The most that the operands a and b are."""
    op = OPS[i.op]
    found = [_CONSTANT]
    if op.reads_a and i.ra is not None:
        found.append(kinds[i.ra])
    if op.reads_b and not i.bimm:
        found.append(kinds[i.b % 32])
    return max(found)
