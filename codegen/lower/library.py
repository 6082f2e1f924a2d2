"""The device library: operations that take several instructions, written in CUDA C.

It is compiled ahead (`python -m codegen.lower.library` rewrites the PTX from its source), so
dividing needs no clang.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from codegen.ptx import ast, parse

FOLDER: Final = Path(__file__).parents[1] / "device" / "lib"
SOURCES: Final = (FOLDER / "integer.cu", FOLDER / "wide.cu")
PREFIX: Final = "__vgpu_"


@cache
def library() -> ast.Module:
    """The library's PTX, parsed."""
    whole = ast.Module()
    for source in SOURCES:
        compiled = source.with_suffix(".ptx")
        part = parse(compiled.read_text(encoding="utf-8"), compiled.name)
        whole.variables += part.variables
        whole.functions += part.functions
    return whole


def is_library(name: str) -> bool:
    return name.startswith(PREFIX)


def compile_library(source: Path) -> str:
    """The PTX of one file of the library, from its source. Needs clang."""
    from codegen.clang import Options, compile_to_ptx

    text = compile_to_ptx(source.read_text(encoding="utf-8"), source.name, Options(bits=32))
    # positions would name the machine that compiled it
    lines = [line.split("//")[0].rstrip() for line in text.splitlines()]
    kept = (s for s in lines if s and not s.lstrip().startswith((".loc", ".file", "$L__tmp")))
    return "\n".join(kept) + "\n"


if __name__ == "__main__":
    for one in SOURCES:
        one.with_suffix(".ptx").write_text(compile_library(one), encoding="utf-8")
