"""Rules for what the lanes of a warp do together (PTX ISA 9.7.9 and 9.7.13): shuffles, votes,
matches and barriers.

The machine's `shfl`, `vote` and `bar.warp` wait for the lanes of a mask, wherever in the program
those are; lanes that have exited are not waited for and vote 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from codegen.lower import wide
from codegen.lower.context import WARP_SIZE, Lowering, Opcode
from codegen.lower.mir import ALWAYS, AND, OR, Block, Ins, Reg, Routine, Target, Value
from codegen.lower.rules import operands, rule
from codegen.ptx import ast
from vgpu.isa import MASK32, OPS, SPECIALS

_LAST: Final = WARP_SIZE - 1
_MODES: Final = ("idx", "up", "down", "bfly")


def lane(low: Lowering) -> Reg:
    return low.always("s2r", SPECIALS["%laneid"])


def members(low: Lowering, operand: ast.Operand) -> Reg:
    """A member mask in a register; a constant one is made once."""
    mask = low.value(operand)
    return low.always("mov", mask) if isinstance(mask, int) else low.reg(mask)


# ---- shuffles -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Reach:
    """The lanes that a shuffle may read: `first` to `last` of this lane's segment.

    `segment` holds the bits of a lane's number that name its segment, constant where it can be.
    """

    segment: Value
    first: Value
    last: Value

    @property
    def whole(self) -> bool:
        return self.segment == 0 and self.last == _LAST


@rule("shfl", "32", "sync idx up down bfly")
def shuffle(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = a of another lane, of this one where there is no other; p tells which."""
    mode = next((m for m in o.mods if m in _MODES), None)
    if mode is None or "sync" not in o.mods:
        low.unsupported("shuffles without .sync are gone from PTX: use shfl.sync")
    target, a, b, c, mask = operands(low, i, 5)
    d, found = _destinations(low, target)
    value, who = low.reg(low.value(a)), members(low, mask)
    by, reach = low.value(b), _reach(low, low.value(c))
    if mode in ("idx", "bfly") and reach.whole:
        # the machine takes lane numbers modulo 32, so there always is such a lane
        source = by if mode == "idx" else low.emit("xor", low.new(), lane(low), by)
        if found is not None:
            low.logic(found, (found, False), k=ALWAYS)
    else:
        by = _masked(low, by, _LAST)
        j, inside = _source(low, mode, by, reach)
        source = low.emit("selp", low.new(), j, lane(low), q=inside)
        if found is not None:
            low.logic(found, (inside, False))
    low.emit("shfl", d, value, source, c=who)


def _destinations(low: Lowering, operand: ast.Operand) -> tuple[Reg, Reg | None]:
    if not isinstance(operand, ast.Pair):
        return low.dest(operand), None
    second = low.predicate(ast.Name(operand.second))[0] if operand.second != "_" else None
    return low.dest(ast.Name(operand.first)), second


def _reach(low: Lowering, c: Value) -> _Reach:
    """From operand c: bits 0 to 4 are the clamp, bits 8 to 12 the segment mask."""
    if isinstance(c, int):
        bits, last = c >> 8 & _LAST, c & _LAST
        if bits == 0:
            return _Reach(0, 0, last)
        first = low.emit("and", low.new(), lane(low), bits)
        rest = last & ~bits
        return _Reach(bits, first, low.emit("or", low.new(), first, rest) if rest else first)
    segment = low.emit("shr", low.new(), c, 8)
    first = low.emit("and", low.new(), lane(low), segment)
    others = low.emit("not", low.new(), b=segment)
    clamp = low.emit("and", low.new(), low.emit("and", low.new(), c, _LAST), others)
    return _Reach(segment, first, low.emit("or", low.new(), first, clamp))


def _source(low: Lowering, mode: str, by: Value, reach: _Reach) -> tuple[Reg, Reg]:
    """(lane to read from, predicate: it is within reach)."""
    if mode == "idx":
        if isinstance(reach.segment, int):
            outside: Value = MASK32 ^ reach.segment
        else:
            outside = low.emit("not", low.new(), b=reach.segment)
        within = low.emit("and", low.new(), by, outside)
        j = low.emit("or", low.new(), within, reach.first)
    else:
        op = {"up": "sub", "down": "add", "bfly": "xor"}[mode]
        j = low.emit(op, low.new(), lane(low), by)
    inside = low.new(predicate=True)
    low.emit("setp.ge.s" if mode == "up" else "setp.le.s", inside, j, reach.last)
    return j, inside


def _masked(low: Lowering, value: Value, mask: int) -> Value:
    if isinstance(value, int):
        return value & mask
    return low.emit("and", low.new(), value, mask)


# ---- votes --------------------------------------------------------------------------------------


@rule("vote", "pred 32", "sync all any uni ballot")
def vote(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Of the lanes in the mask that still run: do all, any, or as many as all or none say p?"""
    if "sync" not in o.mods:
        low.unsupported("votes without .sync are gone from PTX: use vote.sync")
    target, said, mask = operands(low, i, 3)
    p, who = low.truth(said), members(low, mask)
    if "ballot" in o.mods and o.type == "b32":
        low.emit("vote", low.dest(target), c=who, q=p[0], qneg=p[1])
        return
    d, negated = low.predicate(target)
    if negated or o.type != "pred":
        low.unsupported()
    if "any" in o.mods:
        low.emit("setp.ne", d, ballot(low, p, who), 0)
    elif "all" in o.mods:
        low.emit("setp.eq", d, ballot(low, (p[0], not p[1]), who), 0)
    elif "uni" in o.mods:
        nobody, everybody = low.new(predicate=True), low.new(predicate=True)
        low.emit("setp.eq", nobody, ballot(low, p, who), 0)
        low.emit("setp.eq", everybody, ballot(low, (p[0], not p[1]), who), 0)
        low.logic(d, (nobody, False), everybody, OR)
    else:
        low.unsupported("all, any, uni or ballot is expected")


def ballot(low: Lowering, p: tuple[Reg, bool], who: Reg) -> Reg:
    """The lanes of the mask that say p."""
    return low.emit("vote", low.new(), c=who, q=p[0], qneg=p[1])


# ---- match --------------------------------------------------------------------------------------


@rule("match", "32 64", "sync any all")
def match(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = the lanes of the mask with this lane's value; `all`: or 0, unless all agree."""
    if "sync" not in o.mods or not {"any", "all"} & set(o.mods):
        low.unsupported("match.any.sync or match.all.sync is expected")
    target, a, mask = operands(low, i, 3)
    after = low.branch_round()
    words = wide.pair(low, a) if o.width == 64 else (low.value(a),)
    value, who = [low.reg(word) for word in words], members(low, mask)
    if "all" in o.mods:
        _match_all(low, target, value, who)
    else:
        _match_any(low, low.dest(target), value, who)
    if after is not None:
        low.start(after)


def _same(low: Lowering, value: list[Reg], source: Reg, who: Reg) -> Reg:
    """Predicate: lane `source` has this lane's value."""
    same: Reg | None = None
    for word in value:
        equal = low.new(predicate=True)
        low.emit("setp.eq", equal, low.emit("shfl", low.new(), word, source, c=who), word)
        both = (equal, False)
        same = equal if same is None else low.logic(low.new(predicate=True), both, same, AND)
    assert same is not None
    return same


def running(low: Lowering, who: Reg) -> Reg:
    """The lanes of the mask that have not exited."""
    yes = low.new(predicate=True)
    return ballot(low, (low.logic(yes, (yes, False), k=ALWAYS), False), who)


def lowest(low: Lowering, mask: Reg) -> Reg:
    """The number of the lowest lane."""
    return low.emit("clz", low.new(), b=low.emit("brev", low.new(), b=mask))


def _match_all(low: Lowering, target: ast.Operand, value: list[Reg], who: Reg) -> None:
    d, found = _destinations(low, target)
    here = running(low, who)
    agrees = _same(low, value, lowest(low, here), who)
    same = low.new(predicate=True)
    low.emit("setp.eq", same, ballot(low, (agrees, True), who), 0)
    if found is not None:
        low.logic(found, (same, False))
    low.emit("selp", d, here, 0, q=same)


def _match_any(low: Lowering, d: Reg, value: list[Reg], who: Reg) -> None:
    """A round for each value: the lowest lane left names it, and those that have it step out."""
    left, result = low.new(), low.new()
    low.own(left)
    low.own(result)
    low.emit("mov", left, b=running(low, who))
    low.emit("mov", result, b=0)
    again = low.fresh_label()
    low.start(again)
    same, more = _same(low, value, lowest(low, left), who), low.new(predicate=True)
    group = ballot(low, (same, False), who)
    low.emit("mov", result, b=group, guard=same)
    low.emit("xor", left, left, group)
    low.emit("setp.ne", more, left, 0)
    low.emit("bra", b=Target(again), guard=more)
    low.start(low.fresh_label())
    low.emit("mov", d, b=result)


# ---- sleep ---------------------------------------------------------------------------------------


@rule("nanosleep", "32")
def sleep(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Nothing: a pass is as short as any sleep."""


# ---- active lanes -------------------------------------------------------------------------------


@rule("activemask", "32")
def active_mask(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Lanes that are here together. Which ones is settled when the flow is known."""
    (d,) = operands(low, i, 1)
    low.emit("activemask", low.dest(d), lane(low), c=low.always("mov", MASK32))


def settle_active_masks(routine: Routine) -> None:
    """Turns `activemask` into a vote of the whole warp where every lane that still runs must
    come, and into the lane's own bit elsewhere.

    A lane need not be active together with any other, so its own bit is always an answer. The
    whole warp is what people expect where the lanes have not parted, and waiting for it there
    cannot block.
    """
    if not any(ins.op == "activemask" for ins in routine.instructions()):
        return
    blocks = {b.label: b for b in routine.blocks}
    for block in routine.blocks:
        for ins in [i for i in block.code if i.op == "activemask"]:
            if routine.entry and ins.guard is None and _everybody_comes(blocks, routine, block):
                _ask_everybody(routine, block, ins)
            else:
                _own_bit(routine, block, ins)


def _everybody_comes(blocks: dict[str, Block], routine: Routine, block: Block) -> bool:
    """Each lane comes to `block` once, or gets to its end without waiting for anybody."""
    if block.label in _reached(blocks, block.successors()):
        return False
    round_ = _reached(blocks, [routine.blocks[0].label], block.label)
    past = [
        label for label in round_ if block.label not in _reached(blocks, blocks[label].successors())
    ]
    return not any(_waits(blocks[label]) for label in past)


def _reached(blocks: dict[str, Block], starts: list[str], avoid: str = "") -> set[str]:
    """Blocks that can come after, `starts` included, without going through `avoid`."""
    found: set[str] = set()
    work = [label for label in starts if label != avoid]
    while work:
        label = work.pop()
        if label not in found:
            found.add(label)
            work += [way for way in blocks[label].successors() if way != avoid]
    return found


def _waits(block: Block) -> bool:
    return any(
        i.op in ("bar", "call", "activemask") or (i.op in OPS and "warp" in OPS[i.op].lines)
        for i in block.code
    )


def _ask_everybody(routine: Routine, block: Block, ins: Ins) -> None:
    yes = routine.new(predicate=True)
    at = block.code.index(ins)
    block.code.insert(at, Ins("plop", yes, q=yes, r=yes, k=ALWAYS, at=ins.at))
    ins.op, ins.a, ins.q = "vote", None, yes


def _own_bit(routine: Routine, block: Block, ins: Ins) -> None:
    one = routine.new()
    at = block.code.index(ins)
    block.code.insert(at, Ins("mov", one, b=1, at=ins.at))
    ins.op, ins.a, ins.b, ins.c = "shl", one, ins.a, None
