"""LLVM IR to PTX by llvmlite's LLVM, in a child process (`codegen.llvm_child`)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Final

from codegen import sandbox
from codegen.errors import CompileError

_CHILD: Final = Path(__file__).with_name("llvm_child.py")


def available() -> bool:
    return importlib.util.find_spec("llvmlite") is not None


def to_ptx(root: Path, bitcode: Path, name: str) -> str:
    """The PTX of the file `bitcode` in the folder `root`; `name` is the file that messages speak
    of. Raises CompileError with LLVM's complaint."""
    spec = importlib.util.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        raise CompileError("llvmlite is not installed: pip install llvmlite, or use --via clang")
    library = Path(spec.origin).parents[1]
    target = root / "out.ptx"
    command = (sys.executable, "-I", "-S", str(_CHILD), str(library), str(bitcode), str(target))
    finished = sandbox.run(command, root, f"{name}: LLVM")
    if finished.status != 0 or not target.exists():
        raise CompileError(f"{name}: LLVM cannot make PTX of this: {_complaint(finished.errors)}")
    return target.read_text(encoding="utf-8", errors="replace")


def _complaint(errors: str) -> str:
    said = [line.strip() for line in errors.splitlines() if line.strip()]
    lines = [line for line in said if "error" in line.lower()]
    if not lines:
        return "it crashed"
    if "Broken module" in lines[0]:  # the line before tells what is wrong with it
        return said[0].rstrip("!")
    return lines[0].removeprefix("LLVM ERROR: ").removeprefix("error: ")
