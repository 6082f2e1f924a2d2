"""The device library: operations that take several instructions, written in CUDA C.

It is compiled ahead (`python -m codegen.lower.library` rewrites the PTX from its source), so
dividing needs no clang.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from codegen.ptx import ast, parse

SOURCE: Final = Path(__file__).parents[1] / "device" / "lib" / "integer.cu"
PTX: Final = SOURCE.with_suffix(".ptx")
PREFIX: Final = "__vgpu_"


@cache
def library() -> ast.Module:
    """The library's PTX, parsed."""
    return parse(PTX.read_text(encoding="utf-8"), PTX.name)


def is_library(name: str) -> bool:
    return name.startswith(PREFIX)


def compile_library() -> str:
    """The PTX of the library, from its source. Needs clang."""
    from codegen.clang import compile_to_ptx

    text = compile_to_ptx(SOURCE.read_text(encoding="utf-8"), SOURCE.name)
    # positions would name the machine that compiled it
    lines = [line.split("//")[0].rstrip() for line in text.splitlines()]
    return "\n".join(s for s in lines if s and not s.lstrip().startswith((".loc", ".file"))) + "\n"


if __name__ == "__main__":
    PTX.write_text(compile_library(), encoding="utf-8")
