"""codegen: CUDA C → PTX (clang) → instructions of the machine; and the prebuilt kernels.

`program = codegen.compile_file("dot.cu", kernel="dot")` gives a `vgpu.Program`.
"""

from codegen.catalog import Kernel, Launch, catalog
from codegen.compiler import compile_file, compile_source, cuda_to_ptx, ptx_to_program
from codegen.errors import CompileError

__all__ = [
    "CompileError",
    "Kernel",
    "Launch",
    "catalog",
    "compile_file",
    "compile_source",
    "cuda_to_ptx",
    "ptx_to_program",
]
