"""Which parameters of a PTX kernel are pointers, when neither `.ptr` nor a mangled name tells."""

from __future__ import annotations

from codegen.ptx import ast

_CARRIES = ("mov", "add", "sub", "mad", "cvta", "selp", "cvt")


def pointer_parameters(function: ast.Function) -> frozenset[str]:
    """Parameters that reach an address: through `cvta` where the code has it, else by sums."""
    body = [i for i in function.body or () if isinstance(i, ast.Instruction) and i.operands]
    origins: dict[str, set[str]] = {}
    params = {p.name for p in function.params}
    converted: set[str] = set()
    accessed: set[str] = set()
    for _ in range(2):  # twice: blocks need not stand in order
        for i in body:
            sources = _sources(i, origins, params)
            first = i.operands[0]
            if isinstance(first, ast.Name) and (i.base in _CARRIES or _loads_parameter(i)):
                origins.setdefault(first.text, set()).update(sources)
            if i.base == "cvta":
                converted |= sources
            for operand in i.operands:
                if isinstance(operand, ast.Address) and operand.base in origins:
                    accessed |= origins[operand.base]
    return frozenset(converted or accessed)


def _loads_parameter(i: ast.Instruction) -> bool:
    return i.base == "ld" and "param" in i.modifiers


def _sources(i: ast.Instruction, origins: dict[str, set[str]], params: set[str]) -> set[str]:
    found: set[str] = set()
    for operand in i.operands[1:]:
        if isinstance(operand, ast.Name):
            found |= origins.get(operand.text, set())
        elif isinstance(operand, ast.Address) and operand.base in params:
            found.add(operand.base or "")
    return found
