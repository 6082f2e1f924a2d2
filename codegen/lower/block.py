"""Rules for what all threads of a block do together (PTX ISA 9.7.13.1).

The machine has one barrier, for all threads of the block that have not exited. A program that is
right with several barriers, each for all threads, is right with one.
"""

from __future__ import annotations

from typing import Final

from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import COPY, NOT, Reg, Symbol, Target
from codegen.lower.rules import operands, rule
from codegen.lower.scratch import COUNTS
from codegen.lower.warp import ballot, lane, lowest, members, running
from codegen.ptx import ast
from vgpu.geometry import DEFAULT
from vgpu.isa import MASK32, SPECIALS

_WARPS: Final = DEFAULT.warps


@rule(
    "bar barrier", "none", "sync warp cta aligned all arrive cluster wait acquire relaxed release"
)
def barrier(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Waits for the threads of the block, or for the lanes of a mask."""
    if "cluster" in o.mods:
        low.unsupported("the machine runs one block at a time: there are no clusters")
    if "arrive" in o.mods:
        low.unsupported("a thread cannot arrive without waiting; use bar.sync 0 (__syncthreads)")
    if "sync" not in o.mods:
        low.unsupported("bar.sync is expected")
    if "warp" in o.mods:
        (mask,) = operands(low, i, 1)
        low.emit("bar.warp", c=members(low, mask))
        return
    if len(i.operands) != 1:
        low.unsupported("a barrier is for all threads of the block: leave the count out")
    _check_number(low, i.operands[0])
    low.emit("bar")


def _check_number(low: Lowering, operand: ast.Operand) -> None:
    number = low.value(operand)
    if isinstance(number, int) and number > 15:
        low.unsupported("barriers have numbers from 0 to 15")


@rule("bar barrier", "pred 32", "red popc and or cta aligned all")
def reduce_at_barrier(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A barrier at which the threads that say p are counted: how many (popc), all (and), any (or).

    The lowest lane of each warp leaves the count of its own for the others.
    """
    if "red" not in o.mods or len(i.operands) != 3:
        low.unsupported("bar.red with a destination, a barrier and a predicate is expected")
    d, number, said = i.operands
    _check_number(low, number)
    after = low.branch_round()
    q, negated = low.predicate(said)
    if "and" in o.mods:
        negated = not negated  # all say p: nobody says not p
    total = _count(low, (q, negated))
    if "popc" in o.mods:
        low.emit("mov", low.dest(d), b=total)
    else:
        none = low.new(predicate=True)
        low.emit("setp.eq", none, total, 0)
        target = low.predicate(d)[0]
        low.logic(target, (none, False), k=COPY if "and" in o.mods else NOT)
    if after is not None:
        low.start(after)


def _count(low: Lowering, said: tuple[Reg, bool]) -> Reg:
    """How many threads of the block say so."""
    everybody = low.always("mov", MASK32)
    for warp in range(_WARPS):
        low.emit("st.b32", None, None, Symbol(COUNTS, 4 * warp), c=low.reg(0))
    low.emit("bar")  # warps that have exited count nothing
    here = low.emit("popc", low.new(), b=ballot(low, said, everybody))
    leads = low.new(predicate=True)
    low.emit("setp.eq", leads, lane(low), lowest(low, running(low, everybody)))
    own = low.emit("s2r", low.new(), b=SPECIALS["%warpid"])
    place = low.emit("shl", low.new(), own, 2)
    low.emit("st.b32", None, place, Symbol(COUNTS), c=here, guard=leads)
    low.emit("bar")
    total = low.emit("ld.b32", low.new(), None, Symbol(COUNTS))
    for warp in range(1, _WARPS):
        more = low.emit("ld.b32", low.new(), None, Symbol(COUNTS, 4 * warp))
        total = low.emit("add", low.new(), total, more)
    low.emit("bar")  # nobody begins the next count before all have read this one
    return total


@rule("elect", "none", "sync")
def elect(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d|p = the lowest lane of the mask, and whether that is this one."""
    target, mask = operands(low, i, 2)
    if not isinstance(target, ast.Pair):
        low.unsupported("d|p is expected")
    leader = lowest(low, running(low, members(low, mask)))
    if target.first != "_":
        low.emit("mov", low.dest(ast.Name(target.first)), b=leader)
    if target.second != "_":
        low.emit("setp.eq", low.predicate(ast.Name(target.second))[0], leader, lane(low))


_SIMPLE: Final = {"add": "add", "and": "and", "or": "or", "xor": "xor"}
_IDENTITY: Final = {
    "add": 0, "or": 0, "xor": 0, "and": MASK32,
    "min.u": MASK32, "min.s": 0x7FFFFFFF, "max.u": 0, "max.s": 0x80000000,
}  # fmt: skip


@rule("redux", "32", "sync add min max and or xor")
def reduce_in_warp(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = the operation over the values of the mask's lanes: a round for each, lowest first."""
    d, a, mask = operands(low, i, 3)
    names = [m for m in o.mods if m != "sync"]
    if len(names) != 1 or "sync" not in o.mods:
        low.unsupported("redux.sync with one operation is expected")
    if names[0] in ("min", "max") and o.type == "b32":
        low.unsupported(f"{names[0]} needs a type with a sign: .u32 or .s32")
    after = low.branch_round()
    op = _SIMPLE.get(names[0], f"{names[0]}.{'s' if o.signed else 'u'}")
    value, who = low.reg(low.value(a)), members(low, mask)
    left, total, again = low.new(), low.new(), low.fresh_label()
    low.own(left)
    low.own(total)
    low.emit("mov", left, b=running(low, who))
    low.emit("mov", total, b=_IDENTITY[op])
    low.start(again)
    theirs = low.emit("shfl", low.new(), value, lowest(low, left), c=who)
    low.emit(op, total, total, theirs)
    low.emit("and", left, left, low.emit("add", low.new(), left, MASK32))
    more = low.new(predicate=True)
    low.emit("setp.ne", more, left, 0)
    low.emit("bra", b=Target(again), guard=more)
    low.start(low.fresh_label())
    low.emit("mov", low.dest(d), b=total)
    if after is not None:
        low.start(after)
