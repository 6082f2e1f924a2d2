"""Nested `{ }` scopes made flat: a register declared again in an inner scope gets a new name."""

from __future__ import annotations

from dataclasses import replace

from codegen.ptx import ast


def flatten(body: tuple[ast.Statement, ...]) -> list[ast.Statement]:
    """The statements without scopes, every register name declared once."""
    if not any(isinstance(s, ast.Scope) for s in body):
        return list(body)
    seen: set[str] = set()
    renames: list[dict[str, str]] = [{}]
    flat: list[ast.Statement] = []
    for statement in body:
        match statement:
            case ast.Scope(opens=True):
                renames.append(dict(renames[-1]))
            case ast.Scope():
                renames.pop()
            case ast.Registers():
                flat.append(_declare(statement, seen, renames[-1]))
            case ast.Instruction():
                flat.append(_renamed(statement, renames[-1]))
            case _:
                flat.append(statement)
    return flat


def _declare(registers: ast.Registers, seen: set[str], renames: dict[str, str]) -> ast.Registers:
    names: list[tuple[str, int | None]] = []
    for name, count in registers.names:
        spelled = [name] if count is None else [f"{name}{n}" for n in range(count)]
        for one in spelled:
            fresh = one
            while fresh in seen:
                fresh += "'"
            renames[one] = fresh
            seen.add(fresh)
            names.append((fresh, None))
    return replace(registers, names=tuple(names))


def _renamed(i: ast.Instruction, renames: dict[str, str]) -> ast.Instruction:
    return replace(
        i,
        operands=tuple(_operand(o, renames) for o in i.operands),
        guard=renames.get(i.guard, i.guard) if i.guard else None,
    )


def _operand(operand: ast.Operand, renames: dict[str, str]) -> ast.Operand:
    match operand:
        case ast.Name(text, offset):
            return ast.Name(renames.get(text, text), offset)
        case ast.Address(base, offset) if base is not None:
            return ast.Address(renames.get(base, base), offset)
        case ast.Not(name):
            return ast.Not(renames.get(name, name))
        case ast.Pair(first, second):
            return ast.Pair(renames.get(first, first), renames.get(second, second))
        case ast.Vector(items):
            return ast.Vector(tuple(_operand(o, renames) for o in items))
        case ast.Group(items):
            return ast.Group(tuple(_operand(o, renames) for o in items))
    return operand
