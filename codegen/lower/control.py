"""Rules for comparisons, selection, branches and barriers (PTX ISA 9.7.5, 9.7.12, 9.7.13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from codegen.lower.calls import call_function, give_back
from codegen.lower.context import Lowering, Opcode
from codegen.lower.mir import AND, NOT, OR, XOR, Reg, Symbol, Target, Value
from codegen.lower.narrow import extended
from codegen.lower.rules import operands, rule
from codegen.ptx import ast

RELATIONS: Final = "eq ne lt le gt ge lo ls hi hs"
TABLE_LABELS: Final = 4
"""From here on a table is smaller and, in the mean, faster than comparing."""
UNSIGNED: Final = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
TABLES: Final = {"and": AND, "or": OR, "xor": XOR}

Compare = Callable[[Lowering, Reg, ast.Operand, ast.Operand, Opcode], None]


# ---- predicates -------------------------------------------------------------------------------


@rule("setp", "16 32", f"{RELATIONS} and or xor")
def set_predicate(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """p = (a ? b), q = its complement; either combined with a third predicate."""
    combined(low, i, o, compare)


def combined(low: Lowering, i: ast.Instruction, o: Opcode, compare: Compare) -> None:
    """`setp`, by what `compare` makes of two operands."""
    combine = next((m for m in o.mods if m in TABLES), None)
    target, a, b, *third = operands(low, i, 4 if combine else 3)
    first, second = _destinations(low, target)
    if combine is None and second is None:
        compare(low, first, a, b, o)
        return
    truth = low.new(predicate=True)
    compare(low, truth, a, b, o)
    for d, negated in ((first, False), (second, True)):
        if d is not None and combine is not None:
            other, inverted = low.truth(third[0])
            low.logic(d, (other, inverted), truth, _flip_r(TABLES[combine], negated))
        elif d is not None:
            low.logic(d, (truth, negated))


def _flip_r(table: int, flip: bool) -> int:
    """The truth table (bit 2q + r) with its second input negated."""
    return (table & 0b1010) >> 1 | (table & 0b0101) << 1 if flip else table


def _destinations(low: Lowering, operand: ast.Operand) -> tuple[Reg, Reg | None]:
    if isinstance(operand, ast.Pair):
        first, second = (
            low.new(predicate=True) if n == "_" else low.predicate(ast.Name(n))[0]
            for n in (operand.first, operand.second)
        )
        return first, second
    return low.predicate(operand)[0], None


def compare(low: Lowering, d: Reg, a: ast.Operand, b: ast.Operand, o: Opcode) -> None:
    relation = next((m for m in o.mods if m in RELATIONS.split()), None)
    if relation is None:
        low.unsupported("a relation is expected")
    signed = o.signed and relation not in UNSIGNED
    relation = UNSIGNED.get(relation, relation)
    suffix = "" if relation in ("eq", "ne") else ".s" if signed else ".u"
    low.emit(f"setp.{relation}{suffix}", d, extended(low, a, o.type), extended(low, b, o.type))


@rule("set", "16 32", f"{RELATIONS} and or xor")
def set_register(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = all ones when the relation (combined with a predicate) holds, else 0."""
    mask_by(low, i, o, compare)


def mask_by(low: Lowering, i: ast.Instruction, o: Opcode, compare: Compare) -> None:
    """`set`, by what `compare` makes of two operands."""
    if len(o.types) != 2 or o.types[0] not in ("u32", "s32"):
        low.unsupported("set gives a .u32 or .s32")
    combine = next((m for m in o.mods if m in TABLES), None)
    d, a, b, *third = operands(low, i, 4 if combine else 3)
    truth = low.new(predicate=True)
    compare(low, truth, a, b, o)
    if combine is not None:
        low.logic(truth, low.truth(third[0]), truth, TABLES[combine])
    low.emit("selp", low.dest(d), low.reg(0xFFFFFFFF), 0, q=truth)


@rule("and or xor", "pred")
def combine_predicates(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Logic of predicates, which may be negated, and of constants."""
    d, a, b = operands(low, i, 3)
    other, inverted = low.truth(b)
    low.logic(low.predicate(d)[0], low.truth(a), other, _flip_r(TABLES[o.base], inverted))


@rule("not", "pred")
def invert_predicate(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = not a."""
    d, a = operands(low, i, 2)
    low.logic(low.predicate(d)[0], low.truth(a), k=NOT)


@rule("cnot", "16 32")
def logical_not(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = 1 when a is 0, else 0."""
    d, a = operands(low, i, 2)
    truth = low.new(predicate=True)
    low.emit("setp.eq", truth, extended(low, a, o.type), 0)
    low.emit("selp", low.dest(d), 1, 0, q=truth)


@rule("selp", "16 32 f32")
def select(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = p ? a : b."""
    d, a, b, p = operands(low, i, 4)
    q, inverted = low.truth(p)
    low.emit("selp", low.dest(d), low.value(a), low.value(b), q=q, qneg=inverted)


@rule("slct", "16 32 f32")
def select_by_sign(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = c >= 0 ? a : b."""
    d, a, b, c = operands(low, i, 4)
    if o.types[-1] != "s32":
        low.unsupported("the machine has no floating point yet: slct takes a .s32")
    truth = low.new(predicate=True)
    low.emit("setp.ge.s", truth, low.value(c), 0)
    low.emit("selp", low.dest(d), low.value(a), low.value(b), q=truth)


# ---- branches -----------------------------------------------------------------------------------


@rule("bra", "none", "uni")
def branch(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Continues at a label."""
    (target,) = operands(low, i, 1)
    if not isinstance(target, ast.Name):
        low.unsupported("a label is expected")
    low.emit("bra", b=Target(low.label(target.text)))
    low.start(low.fresh_label())


@rule("brx", "none", "idx uni")
def branch_indexed(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A branch into a table of jumps; for few labels a chain of comparisons."""
    index, table = operands(low, i, 2)
    if not isinstance(table, ast.Name) or table.text not in low.targets:
        low.unsupported("its table of labels is missing")
    after = low.branch_round()
    value = low.value(index)
    labels = [low.label(label) for label in low.targets[table.text]]
    if len(labels) >= TABLE_LABELS:
        _branch_by_table(low, value, tuple(labels))
        low.start(after or low.fresh_label())
        return
    for number, label in enumerate(labels[:-1]):
        truth = low.new(predicate=True)
        low.emit("setp.eq", truth, value, number)
        low.emit("bra", b=Target(low.label(label)), guard=truth)
        low.start(low.fresh_label())
    low.emit("bra", b=Target(low.label(labels[-1])))
    low.start(after or low.fresh_label())


def _branch_by_table(low: Lowering, index: Value, labels: tuple[str, ...]) -> None:
    """Three passes, whichever way it goes; an index beyond the table goes nowhere in PTX."""
    low.tables += 1
    name = f"table {low.tables} of {low.function.name}"
    place = low.emit("add", low.new(), index, Symbol(name))
    low.emit("table", b=place, ways=labels, table=name)


@rule("ret", "none", "uni")
def return_(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Back to the caller; in a kernel, the end of the thread."""
    operands(low, i, 0)
    if low.function.entry:
        low.emit("exit")
    else:
        give_back(low)


@rule("exit", "none")
def leave(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """The end of the thread."""
    operands(low, i, 0)
    low.emit("exit")


@rule("trap brkpt", "none")
def trap(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """A fault."""
    operands(low, i, 0)
    low.emit("trap", b=low.unit.trap_code)


@rule("call", "none", "uni")
def call_(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Calls a function by its name; recursion has 4,096 bytes a thread, or what is left."""
    call_function(low, i)
