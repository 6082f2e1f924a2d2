"""Did the compiler compute the result outside the network?

clang folds a kernel that depends on nothing: `*out = 6 * 7` becomes a store of 42. Such a program
only stores what the compiler computed, and a run must say so. So does one that copies a table of
constants, or that stores its constants in the threads of its choice.

A program counts as folded when all that it stores is known; one that also computes something is
not (each value that it prints is then either constant in the source or worked out here).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from vgpu.isa import OPS, SPECIALS, Instruction, decode
from vgpu.program import PARAM_BASE, Param

# What a register holds, as a set of bits; 0 is a constant: an immediate, or a copy of one.
_COMPUTED: Final = 1  # anything that the machine has to work out
_INPUT: Final = 2  # a scalar parameter, or something read through a pointer
_POINTER: Final = 4  # a pointer parameter, or an address made from one
_PLACE: Final = 8  # which thread this is, or an index made from that

# operations that make an address or an index of their operands
_LINEAR: Final = frozenset(
    "add sub add.co sub.co addc subc mul mad mulhi.u mulhi.s shl sar or".split()
)


def is_folded(code: Sequence[int], params: Sequence[Param]) -> bool:
    """True when every value stored is a constant, and nothing but the number of the thread decides
    where or whether it is stored."""
    instructions = [i for i in map(decode, code) if i is not None]
    if len(instructions) < len(code):
        return False
    stores = [i for i in instructions if OPS[i.op].is_store]
    if not stores or any(i.op in ("ld.lock", "st.unlock") for i in instructions):
        return False
    places = False
    for i, kinds in zip(instructions, _kinds(instructions, params), strict=True):
        op = OPS[i.op]
        if op.is_store and (kinds[i.rc] or _operands(i, kinds) & ~(_POINTER | _PLACE)):
            return False
        if op.writes_predicate or op.reads_q:
            found = _operands(i, kinds)
            if found & ~_PLACE:
                return False
            places |= bool(found)
    return not (places and _loops(instructions))


def _loops(instructions: Sequence[Instruction]) -> bool:
    return any(i.op == "bra" and (not i.bimm or i.b <= at) for at, i in enumerate(instructions))


def _kinds(instructions: Sequence[Instruction], params: Sequence[Param]) -> list[list[int]]:
    """What each register holds before each instruction, by whatever way it is reached; a fixed
    point. Where a branch goes to a register's address, all ways are taken."""
    anywhere = range(len(instructions))
    before = [[0] * 32 for _ in instructions]
    waiting, seen = [0], {0}
    while waiting:
        at = waiting.pop()
        i, after = instructions[at], list(before[at])
        if OPS[i.op].writes_register:
            kept = after[i.rd] if i.guard is not None else 0
            after[i.rd] = kept | _written(i, after, params)
        for follower in _followers(at, i, anywhere):
            joined = [old | new for old, new in zip(before[follower], after, strict=True)]
            if joined != before[follower] or follower not in seen:
                before[follower] = joined
                seen.add(follower)
                waiting.append(follower)
    return before


def _followers(at: int, i: Instruction, anywhere: range) -> Iterable[int]:
    goes_on = i.op not in ("bra", "exit", "trap") or i.guard is not None
    following = [at + 1] if goes_on and at + 1 in anywhere else []
    if i.op == "bra":
        if not i.bimm:
            return anywhere
        if i.b in anywhere:
            following.append(i.b)
    return following


def _written(i: Instruction, kinds: Sequence[int], params: Sequence[Param]) -> int:
    op = OPS[i.op]
    if op.is_load:
        return _loaded(i, kinds, params)
    if op.name == "s2r":
        return 0 if i.b == SPECIALS["%local"] else _PLACE
    found = _operands(i, kinds)
    if op.name == "mov":
        return found
    if op.name in _LINEAR and found and not found & ~(_POINTER | _PLACE):
        return found
    return found | _COMPUTED


def _loaded(i: Instruction, kinds: Sequence[int], params: Sequence[Param]) -> int:
    """A load of a parameter, of a constant table (whatever is stored is a constant too, or the
    program is not folded), or of what a pointer leads to."""
    end = PARAM_BASE + max((p.offset + p.size for p in params), default=0)
    if i.ra is None and i.bimm:
        if i.b >= end:
            return 0
        at = i.b - PARAM_BASE
        pointer = any(p.pointer and p.offset <= at < p.offset + p.size for p in params)
        return _POINTER if pointer else _INPUT
    if _operands(i, kinds) == _PLACE and i.bimm and end <= i.b < 1 << 31:
        return 0
    return _INPUT | _COMPUTED


def _operands(i: Instruction, kinds: Sequence[int]) -> int:
    """All that the operands a, b and c are, but for the value of a store."""
    op = OPS[i.op]
    found = 0
    if op.reads_a and i.ra is not None:
        found |= kinds[i.ra]
    if op.reads_b and not i.bimm:
        found |= kinds[i.b % 32]
    if op.reads_c and not op.is_store:
        found |= kinds[i.rc]
    return found
