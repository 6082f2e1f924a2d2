"""A failing kernel made small: what can go goes, as long as the failure stays.

Edits, from large to small: drop a run of statements, put a body in place of its statement, put a
part or a literal in place of an expression. All of them leave a well-defined kernel or one that
does not compile, which is then no failure of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from evals.fuzz import run
from evals.fuzz.kernel import Kernel
from evals.fuzz.tree import Expr, Stmt
from evals.fuzz.types import TYPES, literal
from evals.oracle import cpu

Check = Callable[[Kernel], bool]
MOST_CHECKS: Final = 600


def same_failure(outcome: run.Outcome, engine: str) -> Check:
    """Whether a kernel fails as this one did: by a difference, a refusal or a fault."""

    def check(one: Kernel) -> bool:
        try:
            run.on_machine(one, engine)
        except run.TooLarge:
            return False
        except run.vgpu.VgpuError as error:
            if outcome.kind not in ("refused", "fault") or _gist(str(error)) != gist:
                return False
        (expect,) = run.on_cpu([one])
        if isinstance(expect, cpu.OracleError):
            return False
        return run.check(one, engine, expect).kind == outcome.kind

    gist = _gist(outcome.reason or "")
    return check


def _gist(message: str) -> str:
    """A message without its place and numbers."""
    return "".join(c for c in message.rpartition(": ")[2] if c.isalpha())


def reduce(one: Kernel, fails: Check) -> Kernel:
    """The kernel, edited in place until no edit keeps the failure (or patience ends)."""
    left = [MOST_CHECKS]

    def keeps() -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(one)

    changed = True
    while changed and left[0] > 0:
        changed = _drop(one.parts, keeps)
        changed |= _hoist(one.parts, keeps)
        changed |= _simplify(one.parts, keeps)
    return one


def _lists(statements: list[Stmt]) -> Iterator[list[Stmt]]:
    """Every list of statements, outer ones first."""
    yield statements
    for stmt in list(statements):
        for body in stmt.bodies:
            yield from _lists(body)


def _drop(parts: list[Stmt], keeps: Callable[[], bool]) -> bool:
    changed = False
    for statements in _lists(parts):
        size = len(statements)
        while size >= 1:
            at = 0
            while at < len(statements):
                removed = statements[at : at + size]
                del statements[at : at + size]
                if keeps():
                    changed = True
                else:
                    statements[at:at] = removed
                    at += size
            size //= 2
    return changed


def _hoist(parts: list[Stmt], keeps: Callable[[], bool]) -> bool:
    changed = False
    for statements in _lists(parts):
        for stmt in list(statements):
            at = next((i for i, s in enumerate(statements) if s is stmt), None)
            for body in stmt.bodies if at is not None and statements is not parts else []:
                statements[at : at + 1] = body
                if keeps():
                    changed = True
                    break
                statements[at : at + len(body)] = [stmt]
    return changed


def _slots(parts: list[Stmt]) -> Iterator[tuple[list[Expr], int]]:
    """Every place that holds an expression, outer ones first."""
    for statements in _lists(parts):
        for stmt in statements:
            waiting = [(stmt.exprs, i) for i in range(len(stmt.exprs))]
            while waiting:
                args, i = waiting.pop(0)
                yield args, i
                waiting += [(args[i].args, k) for k in range(len(args[i].args))]


def _simplify(parts: list[Stmt], keeps: Callable[[], bool]) -> bool:
    changed = False
    for args, i in _slots(parts):
        if not args[i].args:
            continue
        for simpler in _simpler(args[i]):
            was, args[i] = args[i], simpler
            if keeps():
                changed = True
                break
            args[i] = was
    return changed


def _simpler(expr: Expr) -> Iterator[Expr]:
    """A literal, then parts of the same type, then parts cast to it."""
    if expr.text.startswith("({0} & "):  # an index: it has to stay in its range
        yield Expr(expr.type, "0u")
        return
    yield Expr(expr.type, literal(TYPES[expr.type], 1))
    for part in expr.args:
        if part.type == expr.type:
            yield part
        elif expr.text != f"({TYPES[expr.type].c})({{0}})":
            yield Expr(expr.type, f"({TYPES[expr.type].c})({{0}})", [part])


def reduced(outcome: run.Outcome, engine: str) -> run.Outcome:
    """The outcome of the kernel made small, with what the oracle expects of it."""
    small = reduce(outcome.kernel, same_failure(outcome, engine))
    (expect,) = run.on_cpu([small])
    if isinstance(expect, cpu.OracleError):
        return outcome
    return run.check(small, engine, expect)
