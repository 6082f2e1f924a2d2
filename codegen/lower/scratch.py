"""Words of shared memory that the lowered code needs for itself; a program has those it names."""

from __future__ import annotations

from typing import Final

from codegen.ptx import ast
from vgpu.geometry import DEFAULT

NOWHERE: Final = "a word that nobody reads"
COUNTS: Final = "counts of a barrier, a word a warp"

BARRIER: Final = "the number of the barrier that a thread has come to"


def _words(name: str, count: int) -> ast.Variable:
    return ast.Variable("shared", "b32", name, count, 4, ast.Position(0, 0), array=True)


SCRATCH: Final = (
    _words(NOWHERE, 1), _words(COUNTS, DEFAULT.warps), _words(BARRIER, 1),
)  # fmt: skip
