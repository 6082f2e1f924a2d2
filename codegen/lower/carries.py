"""Carries and predicates that are known, and halves of 64-bit values that nobody wants.

A sum of pairs is `add.co` and `addc`, a comparison `sub.co` and `subc`. Where a carry is known,
or only one of the two results is wanted, an instruction of one word does.
"""

from __future__ import annotations

from collections.abc import Iterator

from codegen.lower.mir import ALWAYS, COPY, NEVER, NOT, Block, Ins, Reg, Routine, Target, Value
from vgpu.isa import MASK32, OPS

_SIGN = 1 << 31
_COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip


def remove_unused(routine: Routine) -> bool:
    """Drops what only serves itself: a register that a loop carries round and nobody reads.

    Liveness does not see it, because each turn reads what the last one wrote.
    """
    writers: dict[Reg, list[Ins]] = {}
    work: list[Reg] = []
    for ins in routine.instructions():
        for register in ins.defs:
            writers.setdefault(register, []).append(ins)
        if ins.has_effect or any(r.fixed is not None for r in ins.defs):
            work += ins.uses()
    wanted: set[Reg] = set()
    while work:
        register = work.pop()
        if register not in wanted:
            wanted.add(register)
            for ins in writers.get(register, ()):
                work += ins.uses()
    dropped = False
    for block in routine.blocks:
        kept = [i for i in block.code if i.has_effect or _is_wanted(i, wanted)]
        dropped |= len(kept) < len(block.code)
        block.code = kept
    return dropped


def _is_wanted(ins: Ins, wanted: set[Reg]) -> bool:
    return any(r in wanted or r.fixed is not None for r in ins.defs)


def fold_carries(routine: Routine) -> bool:
    """One round over the routine; tells whether anything changed."""
    facts = _Facts(routine)
    changed = False
    for block in routine.blocks:
        code: list[Ins] = []
        for ins in block.code:
            new = list(facts.simpler(ins))
            changed |= new != [ins]
            code += new
        block.code = code
        changed |= _settle_end(block)
    return changed


def _settle_end(block: Block) -> bool:
    """Branches whose predicate was known have become unguarded: nothing after them is reached."""
    for at, ins in enumerate(block.code):
        if ins.ends and (at < len(block.code) - 1 or block.follow is not None):
            _cut(block, at)
            return True
    return False


def _cut(block: Block, at: int) -> None:
    last = block.code[at]
    del block.code[at + 1 :]
    block.follow = None
    if last.op == "bra" and isinstance(last.b, Target):
        block.follow = last.b.name
        block.code.pop()


class _Facts:
    def __init__(self, routine: Routine) -> None:
        self.read: set[Reg] = set()
        self.truth: dict[Reg, bool] = {}
        once: dict[Reg, Ins] = {}
        many: set[Reg] = set()
        for ins in routine.instructions():
            self.read.update(ins.uses())
            for register in ins.defs:
                if register in once:
                    many.add(register)
                once[register] = ins
        for register, ins in once.items():
            if register not in many and ins.op == "plop" and ins.guard is None:
                if ins.k == NEVER:
                    self.truth[register] = False
                elif ins.k == ALWAYS:
                    self.truth[register] = True

    def simpler(self, ins: Ins) -> Iterator[Ins]:
        """What `ins` comes to: nothing, itself (perhaps changed) or two instructions."""
        if ins.guard is not None and ins.guard in self.truth:
            if self.truth[ins.guard] == ins.gneg:
                return
            ins = _copy(ins, guard=None, gneg=False)
        if ins.op == "plop":
            yield self._logic(ins)
        elif ins.op == "selp" and ins.q in self.truth:
            holds = self.truth[ins.q] != ins.qneg
            yield _copy(ins, op="mov", a=None, b=ins.a if holds else ins.b, q=None, qneg=False)
        elif ins.op == "selp" and (ins.a is ins.b or isinstance(ins.a, int) and ins.a == ins.b):
            yield _copy(ins, op="mov", a=None, q=None, qneg=False)
        elif ins.op.startswith("setp."):
            yield _compared(ins)
        elif ins.op in ("addc", "subc"):
            yield self._chained(ins)
        elif ins.op in ("add.co", "sub.co"):
            yield from self._first(ins)
        else:
            yield ins

    def _wants(self, register: Reg | None) -> bool:
        return register is not None and (register in self.read or register.fixed is not None)

    def _first(self, ins: Ins) -> Iterator[Ins]:
        """`add.co` or `sub.co`: one of its two results may do, or both be known."""
        adds = ins.op == "add.co"
        if not self._wants(ins.w):
            yield _copy(ins, op=ins.op[:3], w=None)
        elif isinstance(ins.a, int) and isinstance(ins.b, int):
            exact = ins.a + ins.b if adds else ins.a - ins.b
            yield _copy(ins, op="mov", a=None, b=exact & MASK32, w=None)
            yield _constant(ins, exact != exact & MASK32)
        elif ins.b == 0:
            yield _copy(ins, op="mov", a=None, b=ins.a, w=None)
            yield _constant(ins, False)
        elif not self._wants(ins.d) and not adds:
            yield _copy(ins, op="setp.lt.u", d=ins.w, w=None)
        elif not self._wants(ins.d) and isinstance(ins.b, int):
            yield _copy(ins, op="setp.gt.u", d=ins.w, b=~ins.b & MASK32, w=None)
        else:
            yield ins

    def _chained(self, ins: Ins) -> Ins:
        """`addc` or `subc`: the carry that comes in may be known."""
        adds = ins.op == "addc"
        known = self.truth.get(ins.q) if ins.q is not None else None
        if known is not None:
            carry = known != ins.qneg
            if not carry:
                return _copy(ins, op="add.co" if adds else "sub.co", q=None, qneg=False)
            if isinstance(ins.b, int) and ins.b != MASK32:
                op = "add.co" if adds else "sub.co"
                return _copy(ins, op=op, b=ins.b + 1, q=None, qneg=False)
        same = ins.a is ins.b or isinstance(ins.a, int) and ins.a == ins.b
        if not adds and same and not self._wants(ins.d):
            return _copy(ins, op="plop", d=ins.w, w=None, a=None, b=None, r=ins.q, k=COPY)
        return ins

    def _logic(self, ins: Ins) -> Ins:
        """Predicate logic on known predicates."""
        if ins.q is None or ins.r is None:
            return ins
        table, q, r = ins.k, self.truth.get(ins.q), self.truth.get(ins.r)
        if q is not None and r is not None:
            holds = table >> (2 * (q != ins.qneg) + r) & 1
            return _copy(ins, q=None, r=None, qneg=False, k=ALWAYS if holds else NEVER)
        if q is not None:
            row = table >> (2 * (q != ins.qneg))
            return _copy(ins, q=ins.r, qneg=False, k=_unary(row & 1, row >> 1 & 1))
        if r is not None:
            row = table >> r
            return _copy(ins, r=ins.q, k=_unary(row & 1, row >> 2 & 1))
        return ins


def _unary(when_false: int, when_true: int) -> int:
    """The truth table of one predicate, which stands as the first input."""
    return when_false * NOT | when_true * COPY


def _compared(ins: Ins) -> Ins:
    """A comparison whose result is known."""
    _, relation, *suffix = ins.op.split(".")
    a, b = ins.a, ins.b
    holds: bool | None = None
    if isinstance(a, int) and isinstance(b, int):
        if suffix == ["s"]:
            a, b = a ^ _SIGN, b ^ _SIGN
        holds = _COMPARE[relation](a, b)
    elif isinstance(a, Reg) and a is b:
        holds = relation in ("eq", "le", "ge")
    elif suffix == ["u"] and b == 0 and relation in ("lt", "ge"):
        holds = relation == "ge"
    if holds is None:
        return ins
    return _copy(ins, op="plop", a=None, b=None, k=ALWAYS if holds else NEVER)


def _constant(ins: Ins, holds: bool) -> Ins:
    """The carry of `ins`, known."""
    k = ALWAYS if holds else NEVER
    return Ins("plop", ins.w, k=k, guard=ins.guard, gneg=ins.gneg, at=ins.at)


def _copy(ins: Ins, **changes: Value | Target | str | bool | None) -> Ins:
    copy = Ins(**{name: getattr(ins, name) for name in Ins.__slots__})
    for name, value in changes.items():
        setattr(copy, name, value)
    assert copy.op in OPS
    return copy
