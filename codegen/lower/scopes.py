"""Nested `{ }` scopes made flat: what an inner scope declares again gets a new name.

Registers and variables hold from where they are declared; labels in the whole of their scope.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NoReturn

from codegen.ptx import ast

Fail = Callable[[str, ast.Position], NoReturn]


def flatten(body: Sequence[ast.Statement], fail: Fail, function: str) -> list[ast.Statement]:
    """The statements without scopes, every name declared once.

    `fail` is told of a name that one scope declares twice. Shared and global variables that
    stand in `function` get its name too.
    """
    return _Flattener(body, fail, function).flat


class _Flattener:
    """`seen`: every name of the result. `renames` and `own`: a map and a set an open scope."""

    def __init__(self, body: Sequence[ast.Statement], fail: Fail, function: str) -> None:
        self.function = function
        self.flat: list[ast.Statement] = []
        self.seen: set[str] = set()
        self.renames: list[dict[str, str]] = []
        self.own: list[set[str]] = []
        self.fail = fail
        self._open(body, 0)
        for at, statement in enumerate(body):
            if isinstance(statement, ast.Scope):
                if statement.opens:
                    self._open(body, at + 1)
                else:
                    self.renames.pop()
                    self.own.pop()
            else:
                self.flat.append(self._statement(statement))

    def _open(self, body: Sequence[ast.Statement], at: int) -> None:
        """A scope begins at `at`: its labels are known at once."""
        self.renames.append(dict(self.renames[-1]) if self.renames else {})
        self.own.append(set())
        depth = 0
        for statement in body[at:]:
            if isinstance(statement, ast.Scope):
                depth += 1 if statement.opens else -1
                if depth < 0:
                    break
            elif isinstance(statement, ast.Label) and depth == 0:
                self._name(statement.name, statement.position)

    def _name(self, name: str, position: ast.Position, suffix: str = "") -> str:
        """Declares `name` in the innermost scope; returns its name in the result."""
        if name in self.own[-1]:
            self.fail(f"'{name}' is declared twice", position)
        self.own[-1].add(name)
        fresh = name + suffix
        while fresh in self.seen:
            fresh += "'"
        self.seen.add(fresh)
        self.renames[-1][name] = fresh
        return fresh

    def _statement(self, statement: ast.Statement) -> ast.Statement:
        match statement:
            case ast.Registers():
                return self._registers(statement)
            case ast.Variable(space=space, name=name, position=position):
                suffix = "" if space in ("local", "param") else f" of {self.function}"
                return replace(statement, name=self._name(name, position, suffix))
            case ast.Instruction():
                return self._instruction(statement)
            case ast.Label(name):
                return replace(statement, name=self.renames[-1][name])
            case ast.Targets(labels):
                return replace(statement, labels=tuple(map(self._renamed, labels)))
        return statement

    def _registers(self, registers: ast.Registers) -> ast.Registers:
        names: list[tuple[str, int | None]] = []
        for name, count in registers.names:
            if count is not None and len(self.own) == 1:
                # the many registers of a whole function, as compilers declare them
                spelled = {f"{name}{n}" for n in range(count)}
                if self.seen.isdisjoint(spelled):
                    self.seen |= spelled
                    self.own[-1] |= spelled
                    names.append((name, count))
                    continue
            for one in [name] if count is None else [f"{name}{n}" for n in range(count)]:
                names.append((self._name(one, registers.position), None))
        return replace(registers, names=tuple(names))

    def _instruction(self, i: ast.Instruction) -> ast.Instruction:
        if not self.renames[-1]:
            return i
        return replace(
            i,
            operands=tuple(self._operand(o) for o in i.operands),
            guard=self._renamed(i.guard) if i.guard else None,
        )

    def _renamed(self, name: str) -> str:
        return self.renames[-1].get(name, name)

    def _operand(self, operand: ast.Operand) -> ast.Operand:
        match operand:
            case ast.Name(text, offset):
                return ast.Name(self._renamed(text), offset)
            case ast.Address(base, offset) if base is not None:
                return ast.Address(self._renamed(base), offset)
            case ast.Not(name):
                return ast.Not(self._renamed(name))
            case ast.Pair(first, second):
                return ast.Pair(self._renamed(first), self._renamed(second))
            case ast.Vector(items):
                return ast.Vector(tuple(map(self._operand, items)))
            case ast.Group(items):
                return ast.Group(tuple(map(self._operand, items)))
        return operand
