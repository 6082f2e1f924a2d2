"""Rules for what all threads of a block do together (PTX ISA 9.7.13.1).

The machine has one barrier, for all threads of the block that have not exited. A barrier of any
number is for all of them too, unless it has a count of threads, which is rejected; so all must wait
at the same one, and one barrier does for sixteen. Where threads of a block come to barriers of
different numbers a GPU waits for ever. A file that has several numbers therefore gets a check: each
thread leaves the number of its barrier in a word, and finds its own there or faults.
"""

from __future__ import annotations

from typing import Final

from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import COPY, NOT, Reg, Symbol, Target, Value
from codegen.lower.rules import operands, rule
from codegen.lower.scratch import BARRIER, COUNTS
from codegen.lower.warp import ballot, lane, lowest, members, running
from codegen.ptx import ast
from vgpu.geometry import DEFAULT
from vgpu.isa import MASK32, SPECIALS

_WARPS: Final = DEFAULT.warps
TRAP_BARRIERS: Final = 4
"""What a trap says of threads that wait at different barriers."""


@rule(
    "bar barrier", "none", "sync warp cta aligned all arrive cluster wait acquire relaxed release"
)
def barrier(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Waits for all threads of the block, or for the lanes of a mask. Barriers have numbers from 0
    to 15; threads of a block that wait at different ones are a fault.
    """
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
    number = _number(low, i.operands[0])
    if not low.unit.several_barriers:
        low.emit("bar")
        return
    after = low.branch_round()
    _meet(low, number)
    if after is not None:
        low.start(after)


def _number(low: Lowering, operand: ast.Operand) -> Value:
    number = low.value(operand)
    if isinstance(number, int) and number > 15:
        low.unsupported("barriers have numbers from 0 to 15")
    return number


def _meet(low: Lowering, number: Value) -> None:
    """A barrier, and a fault when a thread of the block came to one of another number."""
    own, other = low.reg(number), low.new(predicate=True)
    low.emit("st.b32", None, None, Symbol(BARRIER), c=own)
    low.emit("bar")
    seen = low.emit("ld.b32", low.new(), None, Symbol(BARRIER))
    low.emit("setp.ne", other, seen, own)
    low.emit("trap", b=TRAP_BARRIERS, guard=other)
    low.emit("bar")  # nobody leaves a number before all have read this one


@rule("bar barrier", "pred 32", "red popc and or cta aligned all")
def reduce_at_barrier(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A barrier at which the threads that say p are counted: how many (popc), all (and), any (or).

    The lowest lane of each warp leaves the count of its own for the others.
    """
    if "red" not in o.mods or len(i.operands) != 3:
        low.unsupported("bar.red with a destination, a barrier and a predicate is expected")
    d, number, said = i.operands
    which = _number(low, number)
    after = low.branch_round()
    if low.unit.several_barriers:
        _meet(low, which)
    q, negated = low.truth(said)
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
