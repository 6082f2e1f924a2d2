"""CUDA C or PTX in, a `vgpu.Program` out.

clang makes PTX (`codegen.clang`), the parser reads it (`codegen.ptx`), `codegen.lower` makes
instructions of it. Heavy modules are loaded when first needed: programs that only use the
prebuilt kernels never load them.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codegen.errors import CompileError
from codegen.folding import is_folded
from vgpu.program import Param, Program

if TYPE_CHECKING:
    from codegen.ptx import ast
    from codegen.signature import Parameter

_POSITIONAL = re.compile(r"^.*_param_(\d+)$")


def compile_file(path: str | Path, kernel: str | None = None) -> Program:
    """The program of a .cu or .ptx file; `kernel` chooses among several.

    Raises CompileError (`file:line:column: …`).
    """
    path = Path(path)
    text = _read(path)
    if path.suffix == ".ptx":
        return ptx_to_program(text, kernel, str(path))
    return compile_source(text, kernel, str(path))


def compile_source(text: str, kernel: str | None = None, name: str = "kernel.cu") -> Program:
    """The program of CUDA C in `text`; `name` is the file that messages speak of."""
    from codegen import clang, signature

    ptx = clang.compile_to_ptx(text, name)

    def parameters(function: ast.Function) -> tuple[Parameter, ...] | None:
        base = signature.base_name(function.name)
        return signature.from_declarations(clang.dump_declarations(text, name, base), function.name)

    return _build(ptx, kernel, name, parameters)


def cuda_to_ptx(path: str | Path) -> str:
    """The PTX that clang makes of a .cu file."""
    from codegen import clang

    return clang.compile_to_ptx(_read(Path(path)), str(path))


def ptx_to_program(text: str, kernel: str | None = None, name: str = "kernel.ptx") -> Program:
    """The program of a PTX text; `name` is the file that messages speak of."""
    return _build(text, kernel, name, None)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CompileError(f"{path}: not a text file") from None
    except OSError as error:
        raise CompileError(f"{path}: {error.strerror or error}") from None


def _build(ptx: str, kernel: str | None, name: str, parameters: object) -> Program:
    from codegen import signature
    from codegen.lower.places import Places
    from codegen.lower.program import build
    from codegen.ptx import parse

    compiled = parameters is not None
    module = parse(ptx, f"{name} (its PTX)" if compiled else name)
    function = choose(module, kernel, name)
    known = parameters(function) if callable(parameters) else None
    places = Places(name, compiled, module.files)
    program = build(
        module, function, _params(function, known), places, signature.base_name(function.name)
    )
    folded = int(is_folded(program.code, program.params))
    return replace(program, stats={**program.stats, "folded": folded})


def choose(module: ast.Module, kernel: str | None, file: str) -> ast.Function:
    """The kernel called `kernel` (plain, qualified or mangled name), or the only one."""
    from codegen import mangling, signature

    kernels = module.kernels
    names = {k.name: signature.base_name(k.name) for k in kernels}
    if not kernels:
        raise CompileError(f"{file}: no kernel here: write a __global__ function")
    listed = ", ".join(names.values())
    if kernel is None:
        if len(kernels) == 1:
            return kernels[0]
        raise CompileError(f"{file}: several kernels here ({listed}): choose one with --kernel")
    found = [
        k for k in kernels
        if kernel in (k.name, names[k.name], mangling.demangle(k.name).name)
    ]  # fmt: skip
    if len(found) == 1:
        return found[0]
    if found:
        raise CompileError(
            f"{file}: several kernels are called {kernel} "
            f"({', '.join(k.name for k in found)}): choose one by its full name"
        )
    near = difflib.get_close_matches(kernel, names.values(), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise CompileError(f"{file}: no kernel '{kernel}' here (there is: {listed}){hint}")


def _params(function: ast.Function, known: tuple[Parameter, ...] | None) -> tuple[Param, ...]:
    """Names, places and types of the kernel's parameters, from what there is to know them by."""
    from codegen import signature
    from codegen.lower.layout import parameter_offsets
    from codegen.pointers import pointer_parameters

    offsets, _ = parameter_offsets(function.params)
    mangled = signature.from_mangled(function.name)
    if mangled is not None and len(mangled) != len(function.params):
        mangled = None
    if known is not None and len(known) != len(function.params):
        known = None
    guessed = pointer_parameters(function)
    params = []
    for at, param in enumerate(function.params):
        match = _POSITIONAL.match(param.name)
        name = f"param_{match.group(1)}" if match else param.name
        pointer, type_ = param.pointer or param.name in guessed, None
        if mangled is not None:
            pointer, type_ = mangled[at]
        if known is not None:
            name = known[at].name or name
            pointer = known[at].pointer
            type_ = type_ or known[at].type
        params.append(Param(name, offsets[param.name], param.size, pointer, type_))
    return tuple(params)
