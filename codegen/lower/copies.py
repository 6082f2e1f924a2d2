"""Rules for hints and for copies "in the background" (PTX ISA 9.7.9): here they happen at once."""

from __future__ import annotations

from codegen.lower import memory, wide
from codegen.lower.context import Lowering, Opcode
from codegen.lower.rules import operands, rule
from codegen.ptx import ast


@rule("prefetch prefetchu applypriority discard", "any", "global local L1 L2")
def prefetch(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Nothing: there is no cache."""


@rule("createpolicy", "64", "fractional range")
def create_policy(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """d = 0: a policy is only for caches."""
    if not i.operands:
        low.unsupported("expected an operand")
    wide.put(low, i.operands[0], (0, 0))


@rule(
    "griddepcontrol setmaxnreg pmevent", "any", "wait launch_dependents inc dec sync aligned mask"
)
def tell(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Nothing: it tells a scheduler, a register file or a profiler that the machine lacks."""


@rule("cp", "none", "async ca cg shared shared::cta global commit_group wait_group wait_all")
def copy(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Copies 4, 8 or 16 bytes at once; then waiting for it is nothing."""
    if o.mods[:1] != ("async",):
        low.unsupported("only cp.async is supported")
    if {"commit_group", "wait_group", "wait_all"} & set(o.mods):
        return
    to, source, size = operands(low, i, 3)
    if not isinstance(size, ast.Number) or size.value not in (4, 8, 16):
        low.unsupported("a copy of 4, 8 or 16 bytes is expected")
    base, offset = memory.address(low, source)
    words = [
        low.emit("ld.b32", low.new(), base, memory.plus(offset, at))
        for at in range(0, size.value, 4)
    ]
    base, offset = memory.address(low, to)
    for number, word in enumerate(words):
        low.emit("st.b32", None, base, memory.plus(offset, 4 * number), c=word)
