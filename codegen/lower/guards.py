"""Short branches and selections turned into guarded instructions.

A guarded instruction costs a pass whether it acts or not, and so does a branch. The lanes run
side by side, so what counts is the longest way: a short body is cheaper guarded. In loops the
body may be needed rarely, so there it must be shorter.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from codegen.lower.cfg import branch_of, loop_depths, predecessors, simplify
from codegen.lower.liveness import Liveness, read_unwritten
from codegen.lower.mir import Block, Ins, Reg, Routine, Symbol, Target, Value

MOST: Final = 4
MOST_IN_LOOP: Final = 2


def guard_branches(routine: Routine) -> bool:
    """Removes branches round short bodies; tells whether there were any.

    What is live at a label, and how deep in loops it lies, stays as it is meanwhile.
    """
    liveness, depths = Liveness(routine), loop_depths(routine)
    changed = False
    progress = True
    while progress:
        progress = False
        blocks = {b.label: b for b in routine.blocks}
        before = predecessors(routine)
        for block in routine.blocks:
            sides = _sides(block, blocks, before)
            if not sides or sides[0][0] is routine.blocks[0] or sides[-1][0] is routine.blocks[0]:
                continue
            most = MOST_IN_LOOP if depths[block.label] else MOST
            if sum(len(b.code) for b, _ in sides) <= most + (len(sides) == 2):
                _guard(block, sides, liveness)
                simplify(routine)
                progress = changed = True
                break
    return changed


def _sides(
    block: Block, blocks: dict[str, Block], before: dict[str, list[Block]]
) -> list[tuple[Block, bool]]:
    """The bodies that only the branch of `block` chooses, and whether each is for a false one."""
    branch = branch_of(block)
    if branch is None or block.follow is None or branch.guard is None:
        return []
    assert isinstance(branch.b, Target)
    taken, other = blocks[branch.b.name], blocks[block.follow]

    def body(b: Block) -> bool:
        return len(before[b.label]) == 1 and _guardable(b, branch)

    if body(other) and other.follow == taken.label:
        return [(other, not branch.gneg)]
    if body(taken) and taken.follow == other.label:
        return [(taken, branch.gneg)]
    if body(taken) and body(other) and taken.follow == other.follow is not None:
        return [(other, not branch.gneg), (taken, branch.gneg)]
    return []


def _guard(block: Block, sides: list[tuple[Block, bool]], liveness: Liveness) -> None:
    """Puts the bodies behind the branch's predicate, at the end of `block`."""
    join = sides[0][0].follow
    assert join is not None
    branch = block.code.pop()
    for number, (side, negated) in enumerate(sides):
        # the other body, behind this one, may read what this one changes
        live = liveness.live_in[join]
        for later, _ in sides[number + 1 :]:
            live |= liveness.live_in[later.label]
        for ins in side.code:
            ins.guard, ins.gneg = branch.guard, negated
            if ins.d is not None:
                ins.whole = not any(live & liveness.bit(register) for register in ins.defs)
            block.code.append(ins)
    block.follow = join


def _guardable(block: Block, branch: Ins) -> bool:
    return all(
        ins.guard is None and ins.op not in ("call", "bar", "bra") and branch.guard not in ins.defs
        for ins in block.code
    ) and not any(ins.ends for ins in block.code)


def guard_sums(routine: Routine) -> bool:
    """`t = p ? c : 0; d = x + t` becomes `d = x; @p d = x + c`; also for -, | and ^."""
    uses, writers = _use_counts(routine)
    changed = False
    for block in routine.blocks:
        at = 0
        while at < len(block.code):
            ins = block.code[at]
            pick = _picked(ins, uses, writers)
            if pick is not None:
                amount, q, negated, rest = pick
                copy = Ins("mov", ins.d, b=rest, at=ins.at)
                ins.a, ins.b, ins.guard, ins.gneg = rest, amount, q, negated
                block.code.insert(at, copy)
                at += 1
                changed = True
            at += 1
    return changed


def _use_counts(routine: Routine) -> tuple[Counter[Reg], dict[Reg, list[Ins]]]:
    """How often each register is read; what writes it, where that comes before every use."""
    uses: Counter[Reg] = Counter()
    writers: dict[Reg, list[Ins]] = {}
    for ins in routine.instructions():
        uses.update(ins.uses())
        for register in ins.defs:
            writers.setdefault(register, []).append(ins)
    for register in read_unwritten(routine):
        writers.pop(register, None)
    return uses, writers


def _picked(
    ins: Ins, uses: Counter[Reg], writers: dict[Reg, list[Ins]]
) -> tuple[Value, Reg, bool, Reg] | None:
    """(amount, predicate, negated, other operand) when `ins` adds a selected amount or 0."""
    if ins.op not in ("add", "sub", "or", "xor") or ins.guard is not None:
        return None
    for t, rest in ((ins.b, ins.a), (ins.a, ins.b)):
        if not (isinstance(t, Reg) and isinstance(rest, Reg)) or t is rest or uses[t] != 1:
            continue
        if ins.op == "sub" and t is ins.a:
            continue
        made = writers.get(t, [])
        if len(made) != 1 or made[0].op != "selp" or made[0].guard is not None:
            continue
        pick = made[0]
        if pick.q is None or len(writers.get(pick.q, [])) != 1:
            continue
        for amount, zero, negated in ((pick.a, pick.b, False), (pick.b, pick.a, True)):
            if (
                isinstance(amount, Reg | int | Symbol)
                and zero == 0
                and _lasts(amount, ins, writers)
            ):
                return amount, pick.q, pick.qneg ^ negated, rest
    return None


def _lasts(amount: Value, ins: Ins, writers: dict[Reg, list[Ins]]) -> bool:
    """`amount` is the same at `ins` as where it was selected."""
    if not isinstance(amount, Reg):
        return True
    return amount.fixed is None and amount is not ins.d and len(writers.get(amount, [])) == 1


def guard_selections(routine: Routine) -> None:
    """`t = x op y; d = p ? t : b` becomes `d = b; @p d = x op y`.

    One instruction less whenever the copy `d = b` goes away. Also takes the selections that
    the machine has no form for (a constant as the first choice).
    """
    uses: Counter[Reg] = Counter()
    writes: Counter[Reg] = Counter()
    for ins in routine.instructions():
        uses.update(ins.uses())
        writes.update(ins.defs)
    for block in routine.blocks:
        at = 0
        while at < len(block.code):
            ins = block.code[at]
            if ins.op == "selp" and ins.guard is None:
                at = _guard_selection(block, at, uses, writes)
            at += 1


def _guard_selection(block: Block, at: int, uses: Counter[Reg], writes: Counter[Reg]) -> int:
    """Rewrites the selection at `at` when it pays; returns where its last instruction is now."""
    ins = block.code[at]
    assert ins.d is not None
    for _ in range(2):
        source = _single(block, at, ins, uses, writes)
        if source is not None:
            chosen = block.code[source]
            chosen.d, chosen.guard, chosen.gneg = ins.d, ins.q, ins.qneg
            copy = Ins("mov", ins.d, b=ins.b, at=ins.at)
            block.code[at : at + 1] = [copy, chosen]
            del block.code[source]
            return at
        ins.a, ins.b, ins.qneg = ins.b, ins.a, not ins.qneg  # type: ignore[assignment]
    if not isinstance(ins.a, Reg) and not isinstance(ins.b, Reg):
        second = Ins("mov", ins.d, b=ins.a, guard=ins.q, gneg=ins.qneg, at=ins.at)
        block.code[at : at + 1] = [Ins("mov", ins.d, b=ins.b, at=ins.at), second]
        return at + 1
    if not isinstance(ins.a, Reg):
        ins.a, ins.b, ins.qneg = ins.b, ins.a, not ins.qneg  # type: ignore[assignment]
    return at


def _single(
    block: Block, at: int, ins: Ins, uses: Counter[Reg], writes: Counter[Reg]
) -> int | None:
    """Where the first choice is computed, if it can move down to the selection and be guarded."""
    a = ins.a
    if not isinstance(a, Reg) or uses[a] != 1 or writes[a] != 1 or a.fixed is not None:
        return None
    changed: set[Reg] = set()
    for index in range(at - 1, -1, -1):
        other = block.code[index]
        if other.d is a:
            reads = set(other.uses())
            if (
                not other.pure
                or other.guard is not None
                or other.op == "selp"
                or reads & changed
                or other.w is not None
            ):
                return None
            # the copy `d = b` comes first: the operation must not read d after it
            return None if ins.d in reads and ins.b is not ins.d else index
        changed.update(other.defs)
        changed.update(other.clobbers)
    return None
