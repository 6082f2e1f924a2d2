"""Copies, constants and addresses carried to where they are used.

PTX registers that are written once, on every way to every use, are as good as SSA values: facts
about them hold everywhere.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from codegen.lower.liveness import read_unwritten
from codegen.lower.mir import COPY, NOT, Constant, Ins, Reg, Routine, Symbol, Value
from vgpu.isa import MASK32, OPS

_COMMUTES: Final = frozenset(
    "add add.co addc mul mad and or xor mulhi.u mulhi.s min.s min.u max.s max.u".split()
    + ["setp.eq", "setp.ne"]
)
_ABSORBS: Final = frozenset("and mul mulhi.u mulhi.s".split())
_CLAMPED: Final = {"shf.l.clamp": "shl", "shf.r.clamp": "shr"}
_NOTHING: Final = frozenset("add sub or xor shl shr sar".split())


def propagate(routine: Routine) -> bool:
    """One round over the routine; tells whether anything changed."""
    facts = _Facts(routine)
    changed = False
    for block in routine.blocks:
        for ins in block.code:
            changed |= facts.substitute(ins)
            changed |= facts.fold(ins)
    return changed


def fold_addresses(routine: Routine) -> bool:
    """`t = x + y; ld [t]` becomes `ld [x + y]`, within a block, where t has no other use.

    Unlike `propagate` it holds for registers that change in loops.
    """
    facts = _Facts(routine)
    changed = False
    for block in routine.blocks:
        sums: dict[Reg, Ins] = {}
        for ins in block.code:
            if ins.op in OPS and "[a+i]" in OPS[ins.op].operands and isinstance(ins.a, Reg):
                made = sums.get(ins.a)
                if made is not None and facts.used_once(ins.a):
                    changed |= _fold_sum(ins, made)
            _forget(sums, ins)
            if ins.op == "add" and facts.once(ins.d) is ins and ins.d is not None:
                sums[ins.d] = ins
    return changed


def _forget(sums: dict[Reg, Ins], ins: Ins) -> None:
    """Sums whose operands `ins` changes are no longer known."""
    changed = {*ins.clobbers, *([ins.d] if ins.d is not None else [])}
    for register in [r for r, made in sums.items() if changed & {made.a, made.b}]:
        del sums[register]


def _fold_sum(ins: Ins, made: Ins) -> bool:
    if ins.b == 0 and isinstance(made.a, Reg):
        ins.a, ins.b = made.a, made.b
        return True
    total = add_constants(made.b, ins.b)
    if total is not None:
        ins.a, ins.b = made.a, total
        return True
    return False


class _Facts:
    def __init__(self, routine: Routine) -> None:
        writes: Counter[Reg] = Counter()
        self.uses: Counter[Reg] = Counter()
        self.writer: dict[Reg, Ins] = {}
        for ins in routine.instructions():
            self.uses.update(ins.uses())
            for register in ins.defs:
                writes[register] += 1
                self.writer[register] = ins
        for register, count in writes.items():
            writer = self.writer[register]
            if count != 1 or writer.keeps or writer.guard is not None or register.fixed is not None:
                del self.writer[register]
        for register in read_unwritten(routine):
            self.writer.pop(register, None)

    def once(self, value: Value | object) -> Ins | None:
        """The one instruction that writes `value`, when it is a register written once."""
        return self.writer.get(value) if isinstance(value, Reg) else None

    def stable(self, value: object) -> bool:
        """The value is the same wherever it can be read."""
        return not isinstance(value, Reg) or value in self.writer

    # ---- copies ----
    def substitute(self, ins: Ins) -> bool:
        changed = False
        for name in ("a", "b"):
            operand = getattr(ins, name)
            known = self._known(operand)
            if known is not None and (isinstance(known, Reg) or ins.op not in ("bra", "table")):
                setattr(ins, name, known)
                changed = True
        known = self._known(ins.c)
        if isinstance(known, Reg):
            ins.c = known
            changed = True
        return self._predicates(ins) or changed

    def _known(self, operand: object) -> Value | None:
        """What a copied operand is a copy of."""
        writer = self.once(operand)
        if (
            writer is None
            or writer.op != "mov"
            or isinstance(writer.b, Reg)
            and not self.stable(writer.b)
        ):
            return None
        return writer.b if isinstance(writer.b, Reg | int | Symbol) else None

    def _predicates(self, ins: Ins) -> bool:
        changed = False
        if ins.guard is not None:
            source = self._predicate_source(ins.guard)
            if source is not None:
                ins.guard, ins.gneg = source[0], ins.gneg ^ source[1]
                changed = True
        if ins.q is not None:
            source = self._predicate_source(ins.q)
            if source is not None:
                alone = ins.op == "plop" and ins.r is ins.q
                ins.q, ins.qneg = source[0], ins.qneg ^ source[1]
                if alone:
                    ins.r = ins.q
                    if source[1]:
                        ins.k = _flip_r(ins.k)
                changed = True
        if ins.r is not None and ins.r is not ins.q:
            source = self._predicate_source(ins.r)
            if source is not None:
                ins.r = source[0]
                if source[1]:
                    ins.k = _flip_r(ins.k)
                changed = True
        if ins.op == "plop" and ins.k == NOT and ins.q is ins.r:
            ins.k, ins.qneg = COPY, not ins.qneg
        return changed

    def _predicate_source(self, register: Reg) -> tuple[Reg, bool] | None:
        """(predicate, negated) that `register` is a copy of."""
        writer = self.once(register)
        if writer is None or writer.op != "plop" or writer.q is not writer.r or writer.q is None:
            return None
        if not self.stable(writer.q) or writer.k not in (COPY, NOT):
            return None
        return writer.q, writer.qneg ^ (writer.k == NOT)

    # ---- arithmetic ----
    def fold(self, ins: Ins) -> bool:
        before = (ins.op, ins.a, ins.b)
        if isinstance(ins.a, int | Symbol) and ins.op in _COMMUTES and isinstance(ins.b, Reg):
            ins.a, ins.b = ins.b, ins.a
        if ins.op == "sub" and isinstance(ins.b, int) and ins.a is not None:
            ins.op, ins.b = "add", -ins.b & MASK32
        if ins.op in OPS and "[a+i]" in OPS[ins.op].operands:
            self._address(ins)
        elif ins.op == "add":
            self._sum(ins)
        self._constant(ins)
        return before != (ins.op, ins.a, ins.b)

    def _address(self, ins: Ins) -> None:
        """[x + c] where x = y + d becomes [y + (c + d)]."""
        if isinstance(ins.a, int | Symbol):
            total = add_constants(ins.a, ins.b)
            if total is not None:
                ins.a, ins.b = None, total
            return
        writer = self.once(ins.a)
        if writer is None or writer.op != "add" or not self.stable(writer.a):
            return
        if isinstance(writer.b, int | Symbol):
            total = add_constants(writer.b, ins.b)
            if total is not None:
                ins.a, ins.b = writer.a, total
        elif ins.b == 0 and self.stable(writer.b) and self.used_once(ins.a):
            ins.a, ins.b = writer.a, writer.b

    def used_once(self, value: Value | None) -> bool:
        return isinstance(value, Reg) and self.uses[value] == 1

    def _sum(self, ins: Ins) -> None:
        """(x + c) + d becomes x + (c + d)."""
        writer = self.once(ins.a)
        if writer is None or writer.op != "add" or not self.stable(writer.a):
            return
        total = add_constants(writer.b, ins.b)
        if total is not None:
            ins.a, ins.b = writer.a, total

    def _constant(self, ins: Ins) -> None:
        """Results known now, and operations that do nothing."""
        if ins.op == "add" and isinstance(ins.a, int | Symbol):
            total = add_constants(ins.a, ins.b)
            if total is not None:
                _become(ins, total)
            return
        if isinstance(ins.a, int) and isinstance(ins.b, int) and ins.op != "mad":
            result = evaluate(ins.op, ins.a, ins.b)
            if result is not None:
                _become(ins, result)
        elif ins.op == "not" and isinstance(ins.b, int):
            _become(ins, ~ins.b & MASK32)
        elif isinstance(ins.a, Reg) and (
            (ins.op in _NOTHING and ins.b == 0)
            or (ins.op == "and" and ins.b == MASK32)
            or (ins.op == "mul" and ins.b == 1)
        ):
            _become(ins, ins.a)
        elif ins.b == 0 and ins.op in _ABSORBS or ins.b == 1 and ins.op == "mulhi.u":
            _become(ins, 0)
        elif ins.op == "mad":
            self._sum_of_product(ins)
        elif ins.op in _CLAMPED and self._is_zero(ins.c):
            ins.op, ins.c = _CLAMPED[ins.op], None

    def _sum_of_product(self, ins: Ins) -> None:
        """`mad` with a factor or an addend that makes it simpler."""
        if isinstance(ins.a, int) and isinstance(ins.b, int):
            product = ins.a * ins.b & MASK32
            ins.op, ins.a, ins.b, ins.c = "add", ins.c, product, None
        elif ins.b == 0:
            ins.op, ins.a, ins.b, ins.c = "mov", None, ins.c, None
        elif ins.b == 1:
            ins.op, ins.b, ins.c = "add", ins.c, None
        elif self._is_zero(ins.c):
            ins.op, ins.c = "mul", None

    def _is_zero(self, register: Reg | None) -> bool:
        writer = self.once(register)
        return writer is not None and writer.op == "mov" and writer.b == 0


def _flip_r(table: int) -> int:
    """The truth table (bit 2q + r) with its second input negated."""
    return (table & 0b1010) >> 1 | (table & 0b0101) << 1


def _become(ins: Ins, value: Value) -> None:
    ins.op, ins.a, ins.b = "mov", None, value


def add_constants(a: object, b: object) -> Constant | None:
    """The sum of two constants, one of which may be an address."""
    if isinstance(a, int) and isinstance(b, int):
        return (a + b) & MASK32
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Symbol) and isinstance(other, int):
            signed = other - (1 << 32) if other >> 31 else other
            return Symbol(one.name, one.offset + signed)
    return None


def evaluate(op: str, a: int, b: int) -> int | None:
    """The result of an operation on constants, or None."""
    results = {
        "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b,
        "shl": a << b if b < 32 else 0, "shr": a >> b if b < 32 else 0,
        "sar": (a - (a >> 31 << 32)) >> min(b, 31), "mulhi.u": a * b >> 32,
    }  # fmt: skip
    return results[op] & MASK32 if op in results else None
