"""NVIDIA's own compiler as a second front end: CUDA C to 64-bit PTX by NVRTC, without a GPU.

Optional: `pip install nvidia-cuda-nvrtc`. Only the library is used, through ctypes.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from functools import lru_cache
from pathlib import Path

from evals.oracle.cpu import OracleError

OPTIONS = ("--gpu-architecture=compute_75", "--std=c++17", "--fmad=false")


def library_path() -> Path | None:
    """libnvrtc from the wheel, or None where it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for found in sorted(Path(folder).glob("*/lib/libnvrtc.so.*")):
            return found
    return None


@lru_cache
def _library() -> ctypes.CDLL:
    path = library_path()
    if path is None:
        raise OracleError("NVRTC is not installed: pip install nvidia-cuda-nvrtc")
    if sys.platform != "linux":
        raise OracleError("NVRTC's wheel is for Linux")
    for builtins in path.parent.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(path))


def to_ptx(source: str, name: str = "kernel.cu") -> str:
    """PTX of a .cu text. Raises OracleError with the compiler's first complaint."""
    nvrtc = _library()
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    options = (ctypes.c_char_p * len(OPTIONS))(*(o.encode() for o in OPTIONS))
    try:
        if nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options):
            log = _text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
            raise OracleError(next((x for x in log.splitlines() if "error" in x), log[:200]))
        return _text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(size_of: ctypes._FuncPointer, read: ctypes._FuncPointer, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    read(program, buffer)
    return buffer.value.decode()
