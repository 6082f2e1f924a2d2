"""Compiles `passes.c` for this processor, once; the object is kept in the cache.

The compiler is clang, from the ziglang wheel when it is there; llvmlite loads what it makes.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import logging
import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final

from llvmlite import binding as llvm

from vgpu.errors import InputError
from vgpu.store import cache_folder, replace_file

SOURCE: Final = Path(__file__).with_name("passes.c")
HEADERS: Final = ("network.h", "rows.h", "memories.h")
# -mcpu=native is what x86 calls -march=native.
_PROCESSOR: Final = (
    ("-march=native", "-mprefer-vector-width=512")
    if platform.machine().lower() in ("x86_64", "amd64")
    else ("-mcpu=native",)
)
FLAGS: Final = (
    "-O3", *_PROCESSOR, "-std=c17", "-ffreestanding", "-nostdinc", "-fno-builtin",
    "-fno-math-errno", *(() if os.name == "nt" else ("-fPIC",)), "-c",
)  # fmt: skip
WIDTHS: Final = (1, 8, 32)  # words that one call of the native code holds side by side
_ENTRY: Final = "run_passes"
_HASH: Final = 32  # bytes of a hash in front of the code
log = logging.getLogger(__name__)


def width_for(words: int) -> int:
    """The lanes to take for that many words."""
    return next((width for width in WIDTHS if words <= width), WIDTHS[-1])


def compiler() -> tuple[str, ...]:
    """The command of a C compiler. Raises InputError when there is none."""
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        program = Path(folder) / ("zig.exe" if os.name == "nt" else "zig")
        if program.exists():
            return (str(program), "clang")
    found = shutil.which("clang")
    if found is None:
        raise InputError("no C compiler for the sparse engine: pip install ziglang")
    return (found,)


@cache
def _key() -> str:
    """Hash of the sources, the flags and the processor."""
    digest = hashlib.sha256()
    for name in (SOURCE.name, *HEADERS):
        digest.update(SOURCE.with_name(name).read_bytes())
    digest.update(" ".join(FLAGS).encode())
    processor = (llvm.get_process_triple(), llvm.get_host_cpu_name())
    digest.update(repr((*processor, llvm.get_host_cpu_features().flatten())).encode())
    return digest.hexdigest()[:16]


def object_path(lanes: int, options: tuple[str, ...] = ()) -> Path:
    name = "-".join(
        [f"passes-{_key()}-{lanes}", *(option.lstrip("-D").lower() for option in options)]
    )
    return cache_folder() / f"{name}.o"


def _target() -> tuple[str, ...]:
    # llvmlite loads ELF everywhere but on macOS.
    triple: str = llvm.get_process_triple()
    return (f"--target={triple}-elf",) if os.name == "nt" else ()


def _compiling(lanes: int, options: tuple[str, ...], out: Path) -> subprocess.Popen[str]:
    command = [*compiler(), *FLAGS, *_target(), *options, f"-DLANES={lanes}", str(SOURCE)]
    return subprocess.Popen(
        [*command, "-o", str(out)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, errors="replace",
    )  # fmt: skip


def compile_all(options: tuple[str, ...] = ()) -> dict[int, bytes]:
    """Machine code for every number of lanes. Raises InputError with what the compiler says."""
    log.info("compiling the sparse engine (once; a few seconds)")
    with tempfile.TemporaryDirectory(prefix="vgpu-") as folder:
        outs = {lanes: Path(folder) / f"{lanes}.o" for lanes in WIDTHS}
        running = [_compiling(lanes, options, out) for lanes, out in outs.items()]
        try:
            said = [process.communicate()[1] for process in running]
        except BaseException:  # told to end
            for process in running:
                process.kill()
            raise
        for process, text in zip(running, said, strict=True):
            if process.returncode:
                why = (text.strip() or f"status {process.returncode}").splitlines()[0]
                raise InputError(f"{compiler()[0]} cannot compile the sparse engine: {why}")
        return {lanes: out.read_bytes() for lanes, out in outs.items()}


def machine_code(lanes: int, options: tuple[str, ...] = ()) -> bytes:
    """From the cache, or compiled and kept there when it can be."""
    path = object_path(lanes, options)
    with contextlib.suppress(OSError):
        data = path.read_bytes()
        if hashlib.sha256(data[_HASH:]).digest() == data[:_HASH]:
            return data[_HASH:]
    codes = compile_all(options)
    with contextlib.suppress(OSError):  # a full or read-only disk costs time, not the run
        path.parent.mkdir(parents=True, exist_ok=True)
        for width, code in codes.items():
            replace_file(object_path(width, options), hashlib.sha256(code).digest() + code)
    return codes[lanes]


@cache
def _loader() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine()


@cache
def native(lanes: int, options: tuple[str, ...] = ()) -> tuple[Any, Any]:
    """`run_passes` for that many lanes, as a ctypes function, and what keeps it loaded.

    `options`: further ones for the compiler."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _loader())
    engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code(lanes, options)))
    engine.finalize_object()
    pointer, long = ctypes.c_void_p, ctypes.c_int64
    kinds = (pointer, pointer, long, pointer, long, pointer, ctypes.c_int32, pointer,
             ctypes.c_int32, pointer, pointer)  # fmt: skip
    return ctypes.CFUNCTYPE(long, *kinds)(engine.get_function_address(_ENTRY)), engine
