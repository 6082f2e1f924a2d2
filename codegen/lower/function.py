"""One PTX function → blocks of machine code over virtual registers."""

from __future__ import annotations

from typing import Final

from codegen.lower import (
    arithmetic,
    atomics,
    bits,
    block,
    carry,
    control,
    convert,
    copies,
    memory,
    permute,
    rules,
    saturate,
    spaces,
    warp,
    wide_atomics,
    wide_memory,
    wide_rules,
)
from codegen.lower.calls import give_back, open_slots, receive
from codegen.lower.context import Lowering, Unit
from codegen.lower.layout import align
from codegen.ptx import ast
from vgpu.program import Source

# importing a module of rules fills the table
RULE_MODULES = (
    arithmetic, atomics, bits, block, carry, control, convert, copies, memory, permute, saturate,
    spaces, warp, wide_atomics, wide_memory, wide_rules,
)  # fmt: skip


MARK: Final = "a PTX instruction begins here"


def lower_function(function: ast.Function, unit: Unit, sources: list[Source | None]) -> Lowering:
    """Lowers `function`, whose scopes are flat.

    What each PTX instruction came from is appended to `sources`. Raises CompileError on an
    instruction that the machine cannot do.
    """
    low = Lowering(function, unit)
    statements = list(function.body or ())
    _declare(low, statements)
    if not function.entry:
        receive(low)
    loc: ast.Loc | None = None
    last: ast.Loc | None = None
    used = _branch_targets(statements)
    for statement in statements:
        match statement:
            case ast.Loc():
                loc = statement
                if loc.line and not unit.places.is_header(unit.places.files.get(loc.file, "")):
                    last = loc
            case ast.Label(name) if name in used:
                low.start(name)
            case ast.Variable(space="param"):
                open_slots(low, statement)
            case ast.Instruction():
                low.source = unit.places.of(statement, loc, last)
                low.loc = loc
                if unit.marks:
                    _mark(low, sources)
                low.at = len(sources)
                sources.append(low.source)
                _instruction(low, statement)
    low.current, low.source, low.loc, low.at = None, None, None, -1
    _check_end(low)
    return low


def _mark(low: Lowering, sources: list[Source | None]) -> None:
    low.at = len(sources)
    sources.append(Source("", 0, 0, MARK))
    low.emit("mov", low.new(), b=0)


def _instruction(low: Lowering, i: ast.Instruction) -> None:
    low.current = i
    low.guard = None
    if i.guard is not None:
        predicate = low.register(i.guard)
        if not predicate.predicate:
            low.unsupported(f"{i.guard} is not a predicate")
        low.guard = (predicate, i.negated)
    rules.apply(low, i)
    low.guard = None
    if low.block.code and low.block.code[-1].ends:
        low.start(low.fresh_label())


def _declare(low: Lowering, statements: list[ast.Statement]) -> None:
    """Registers, local variables, labels and the writers of each register."""
    labels: set[str] = set()
    for before, statement in zip([None, *statements], statements, strict=False):
        match statement:
            case ast.Registers():
                low.declare(statement)
            case ast.Label(name):
                labels.add(name)
            case ast.Targets(names):
                if isinstance(before, ast.Label):
                    low.targets[before.name] = names
            case ast.Variable(space="local" | "shared", values=values) if values is not None:
                low.fail_at(
                    f".{statement.space} variables have no initial values: "
                    f"store to '{statement.name}' where the function begins",
                    statement.position,
                )
            case ast.Variable(space="local"):
                at = align(low.routine.frame_bytes, statement.align)
                low.frame[statement.name] = at
                low.routine.frame_bytes = at + statement.size
            case ast.Instruction() if statement.operands:
                for name in _written(statement):
                    low.defs.setdefault(name, []).append(statement)
    low.routine.frame_bytes = align(low.routine.frame_bytes, 8)
    low.labels = frozenset(labels)


def _written(i: ast.Instruction) -> list[str]:
    """Names that may be registers which `i` writes: those in its first operand."""
    match i.operands[0]:
        case ast.Name(text):
            return [text]
        case ast.Pair(first, second):
            return [first, second]
        case ast.Vector(items) | ast.Group(items):
            return [item.text for item in items if isinstance(item, ast.Name)]
    return []


def _branch_targets(statements: list[ast.Statement]) -> set[str]:
    found: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.Targets):
            found.update(statement.labels)
        elif isinstance(statement, ast.Instruction) and statement.base == "bra":
            found.update(o.text for o in statement.operands if isinstance(o, ast.Name))
    return found


def _check_end(low: Lowering) -> None:
    """Code must not run off the end: an implied `ret`."""
    block = low.block
    if not (block.code and block.code[-1].ends):
        if low.function.entry:
            low.emit("exit")
        else:
            give_back(low)
