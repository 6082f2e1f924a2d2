"""Running clang: CUDA C in, PTX text out.

clang sees one file in a temporary folder, our headers and nothing else (`codegen.headers`); it
runs with limits on time, memory and output (`codegen.sandbox`). On the way through llvmlite it
stops before its optimiser, and llvmlite's LLVM does the rest (`codegen.llvm`).
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from codegen import llvm, sandbox
from codegen.errors import CompileError
from codegen.headers import HEADERS, INPUT, write_overlay
from codegen.messages import explain

OLDEST: Final = 14
NEWEST: Final = 22
SOURCE_BYTES: Final = 1 << 20
VIAS: Final = ("llvmlite", "clang")
DEFAULT_VIA: Final = "llvmlite"
VARIABLE: Final = "VGPU_CLANG"
_ASK_SECONDS: Final = 20
_MISSING: Final = (
    "no clang found to compile CUDA C: install the wheel (pip install ziglang) "
    f"or a system clang {OLDEST} or newer (apt install clang)"
)
_FLAGS: Final = (
    "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75",
    "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-nostdinc",
    "-isystem", str(HEADERS), "-include", "vgpu_device.h",
    "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-std=c++17",
    # an access through a null pointer is a fault to be told, not licence to drop the code
    "-fno-delete-null-pointer-checks",
    # a loop that never ends runs out of its budget: C++ would let the compiler leave it out
    "-fno-finite-loops",
    # the same text is the same program on every day and every machine
    '-D__DATE__="Jan  1 1970"', '-D__TIME__="00:00:00"',
    '-D__TIMESTAMP__="Thu Jan  1 00:00:00 1970"',
    "-ffp-contract=off", "-fno-color-diagnostics", "-fno-crash-diagnostics", "-w",
    "-ferror-limit=8", "-ftemplate-depth=256", "-fmacro-backtrace-limit=1",
)  # fmt: skip
_CODE_FLAGS: Final = (
    "-O1", "-fno-jump-tables", "-gline-tables-only", "-fdebug-compilation-dir=.",
)  # fmt: skip
_TO_PTX: Final = (
    # for the reason of each see `codegen.llvm_child`
    "-mllvm", "-replexitval=never", "-mllvm", "-disable-machine-licm", "-S", "-o", "out.ptx",
)  # fmt: skip
_TO_IR: Final = ("-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-o", "out.bc")


@dataclass(frozen=True)
class Clang:
    """A clang that can write PTX. `kind` is "system" or "ziglang"."""

    command: tuple[str, ...]
    version: int
    kind: str

    @property
    def path(self) -> str:
        return " ".join(self.command)


@dataclass(frozen=True)
class Options:
    """How to compile. `via`: one of VIAS. `clang`: a path, None for the one that is found.

    `bits`: the size of a pointer; with 64, `long` and `size_t` are what they are in CUDA.
    """

    via: str = DEFAULT_VIA
    clang: str | None = None
    bits: int = 64

    def __post_init__(self) -> None:
        if self.via not in VIAS:
            raise CompileError(f'via "{self.via}": expected one of {", ".join(VIAS)}')


def find_clang(path: str | None = None) -> Clang | None:
    """The clang to use, or None: `path`, else $VGPU_CLANG, else `clang`, then `clang-22` and so on
    down, then the ziglang wheel. Raises CompileError when the one named is none that can be used.
    """
    named = path or os.environ.get(VARIABLE)
    return _named(named) if named else _search()


@cache
def _named(path: str) -> Clang:
    found = shutil.which(path)
    if found is None:
        raise CompileError(f"{path}: no such program (--clang and ${VARIABLE} name a clang)")
    clang = _usable((found,), "system") or _usable((found, "clang"), "ziglang")
    if clang is None:
        raise CompileError(f"{path}: not a clang {OLDEST} or newer that can write PTX")
    return clang


@cache
def _search() -> Clang | None:
    names = ["clang", *(f"clang-{n}" for n in range(NEWEST, OLDEST - 1, -1))]
    for found in filter(None, map(shutil.which, names)):
        clang = _usable((found,), "system")
        if clang is not None:
            return clang
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        program = Path(folder) / ("zig.exe" if os.name == "nt" else "zig")
        clang = _usable((str(program), "clang"), "ziglang")
        if clang is not None:
            return clang
    return None


def _usable(command: tuple[str, ...], kind: str) -> Clang | None:
    version = re.search(r"clang version (\d+)", _ask((*command, "--version")))
    if version is None or int(version[1]) < OLDEST:
        return None
    if kind == "system" and "nvptx" not in _ask((*command, "--print-targets")):
        return None
    return Clang(command, int(version[1]), kind)


def _ask(command: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_ASK_SECONDS, check=False,
            stdin=subprocess.DEVNULL, errors="replace",
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def compile_to_ptx(source: str, name: str, options: Options | None = None) -> str:
    """PTX of the CUDA C `source`; `name` is the file that messages speak of.

    Raises CompileError: clang's first error, with the source line and a caret as details.
    """
    options = options or Options()
    by_llvmlite = options.via == "llvmlite"
    with sandbox.folder() as folder:
        root = folder.resolve()
        _run((*_CODE_FLAGS, *(_TO_IR if by_llvmlite else _TO_PTX)), source, name, options, root)
        if by_llvmlite:
            return llvm.to_ptx(root, root / "out.bc", name)
        return (root / "out.ptx").read_text(encoding="utf-8", errors="replace")


def dump_declarations(source: str, name: str, filter_: str, options: Options | None = None) -> str:
    """clang's syntax tree, as JSON, of the declarations whose name contains `filter_`, without
    the bodies of functions."""
    flags = (
        "-fsyntax-only", "-Xclang", "-skip-function-bodies", "-Xclang", "-ast-dump=json",
        "-Xclang", f"-ast-dump-filter={filter_}",
    )  # fmt: skip
    with sandbox.folder() as folder:
        return _run(flags, source, name, options or Options(), folder.resolve())


def _run(flags: tuple[str, ...], source: str, name: str, options: Options, root: Path) -> str:
    """Runs clang over `source` in the folder `root`. Returns what it printed."""
    clang = find_clang(options.clang)
    if clang is None:
        raise CompileError(_MISSING)
    (root / INPUT).write_text(source, encoding="utf-8", errors="surrogateescape")
    overlay = write_overlay(root)
    command = (
        *clang.command, f"-m{options.bits}", "-ivfsoverlay", str(overlay), *_FLAGS, *flags, INPUT
    )  # fmt: skip
    try:
        finished = sandbox.run(command, root, f"{name}: clang")
    except sandbox.Stopped as stopped:
        if "error:" in stopped.errors:
            raise explain(stopped.errors, name, source) from None
        raise
    if finished.status != 0:
        raise explain(finished.errors, name, source)
    return finished.out
