"""CUDA C or PTX in, a `vgpu.Program` out.

clang and LLVM make PTX (`codegen.front`), the parser reads it (`codegen.ptx`), `codegen.lower`
makes instructions of it. Heavy modules are loaded when first needed: programs that only use the
prebuilt kernels never load them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from codegen import letters
from codegen.errors import CompileError, shortened, showing
from codegen.folding import is_folded
from codegen.inline_asm import told_of_source
from codegen.reading import check_ptx, read_text
from vgpu.errors import InputError
from vgpu.geometry import DEFAULT
from vgpu.program import Param, Program

if TYPE_CHECKING:
    from codegen.clang import Options
    from codegen.ptx import ast
    from codegen.signature import Parameter

Parameters = Callable[["ast.Function"], "tuple[Parameter, ...] | None"]

_LONGEST_NAME = 1000
_POSITIONAL = re.compile(r"^.*_param_(\d+)$")
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*?\b__global__\s[^;{}(]*?(\w+)\s*\(")


def compile_file(
    path: str | Path, kernel: str | None = None, *, via: str | None = None, clang: str | None = None
) -> Program:
    """The program of a .cu or .ptx file.

    `kernel` chooses among several, and makes an instance of a template: `fill<int>`. `via` is
    "llvmlite" (the default: clang's IR through llvmlite's LLVM) or "clang"; `clang` is the path
    of a clang. Raises CompileError (`file:line:column: …`).
    """
    path = Path(path)
    text = read_text(path)
    if path.suffix == ".ptx":
        return ptx_to_program(text, kernel, str(path))
    return compile_source(text, kernel, str(path), via=via, clang=clang)


def compile_source(
    text: str,
    kernel: str | None = None,
    name: str = "kernel.cu",
    *,
    via: str | None = None,
    clang: str | None = None,
) -> Program:
    """The program of CUDA C in `text`; `name` is the file that messages speak of."""
    from codegen import front, signature
    from codegen.clang import dump_declarations

    _are_texts(text, kernel)
    options = _options(via, clang)
    unit = front.compile_unit(text, name, kernel, options)

    def parameters(function: ast.Function) -> tuple[Parameter, ...] | None:
        base = signature.base_name(function.name)
        if len(base) > _LONGEST_NAME:
            return None
        dump = dump_declarations(unit.text, name, base, options)
        return signature.from_declarations(dump, function.name, options.bits)

    with showing(text, name):
        return _build(unit.ptx, kernel, name, parameters, _templates(text))


def cuda_to_ptx(
    path: str | Path, kernel: str | None = None, *, via: str | None = None, clang: str | None = None
) -> str:
    """The PTX of a .cu file, before it becomes instructions."""
    from codegen import front

    path = Path(path)
    return front.compile_unit(read_text(path), str(path), kernel, _options(via, clang)).ptx


def _are_texts(text: object, kernel: object) -> None:
    for name, value in (("text", text), ("kernel", kernel)):
        if not isinstance(value, str) and (value is not None or name == "text"):
            kind = "nothing" if value is None else type(value).__name__
            raise InputError(f"{name}: expected text, got {kind}")


def ptx_to_program(text: str, kernel: str | None = None, name: str = "kernel.ptx") -> Program:
    """The program of a PTX text; `name` is the file that messages speak of."""
    _are_texts(text, kernel)
    with showing(text, name):
        return _build(text, kernel, name, None)


def _options(via: str | None, path: str | None) -> Options:
    from codegen.clang import DEFAULT_VIA, Options

    return Options(via or DEFAULT_VIA, path)


def _templates(text: str) -> list[str]:
    """Kernels that are templates, by name."""
    return _TEMPLATE.findall(text)


def _build(
    ptx: str,
    kernel: str | None,
    name: str,
    parameters: Parameters | None,
    templates: list[str] | None = None,
) -> Program:
    from codegen import signature
    from codegen.lower.places import Places
    from codegen.lower.program import build
    from codegen.ptx import parse

    compiled = parameters is not None
    shown = f"{name} (its PTX)" if compiled else name
    try:
        check_ptx(ptx, shown)
        module = parse(ptx, shown)
    except CompileError as error:
        raise (told_of_source(error, shown, ptx, name) if compiled else error) from None
    if templates and not module.kernels:
        raise CompileError(
            f"{name}: {templates[0]} is a template: choose an instance, "
            f"--kernel '{templates[0]}<int>'"
        )
    _check_sizes(module, name)
    _check_names(module, name)
    function = choose(module, kernel, name)
    known = parameters(function) if parameters else None
    places = Places(name, compiled, _files(module) if compiled else module.files)
    program = build(
        module,
        function,
        _params(function, known, module.address_size),
        places,
        letters.put_back(signature.base_name(function.name)),
    )
    folded = int(is_folded(program.code, program.params))
    return replace(program, stats={**program.stats, "folded": folded})


def _check_sizes(module: ast.Module, name: str) -> None:
    """Refuses an array that memory cannot hold, before anything of its size is made."""
    most = DEFAULT.memory_bytes
    for variable in module.variables:
        if variable.size > most:
            raise CompileError(
                f"{name}: {shortened(variable.name)} has {variable.size:,} bytes; "
                f"the machine's memory holds {most:,}: make it smaller"
            )


def _check_names(module: ast.Module, name: str) -> None:
    """Refuses a function that is defined twice."""
    seen: dict[str, int] = {}
    for function in module.functions:
        if function.body is None:
            continue
        line = function.position.line
        if function.name in seen:
            raise CompileError(
                f"{name}:{line}: {shortened(function.name)} is defined twice "
                f"(first in line {seen[function.name]}): leave one out"
            )
        seen[function.name] = line


def _files(module: ast.Module) -> dict[int, str]:
    """The files that clang names: our headers and the user's. `#line` may name any file; it is
    the user's all the same."""
    from codegen.headers import HEADERS, INPUT

    ours = PurePath(HEADERS)
    return {n: path if PurePath(path).parent == ours else INPUT for n, path in module.files.items()}


def choose(module: ast.Module, kernel: str | None, file: str) -> ast.Function:
    """The kernel called `kernel` (plain, qualified or mangled name), or the only one."""
    from codegen import mangling, signature

    kernels = module.kernels
    names = {k.name: letters.put_back(signature.base_name(k.name)) for k in kernels}
    full = {k.name: _full_name(k.name, [other.name for other in kernels]) for k in kernels}
    if not kernels:
        raise CompileError(f"{file}: no kernel here: write a __global__ function")
    listed = ", ".join(full.values())
    if kernel is None:
        if len(kernels) == 1:
            return kernels[0]
        raise CompileError(f"{file}: several kernels here ({listed}): choose one with --kernel")
    wanted = mangling.canonical(letters.spell(kernel))
    found = [
        k for k in kernels
        if kernel in (k.name, names[k.name]) or wanted == mangling.canonical_of(k.name)
    ]  # fmt: skip
    if len(found) == 1:
        return found[0]
    if found:
        raise CompileError(
            f"{file}: several kernels are called {shortened(kernel)} "
            f"({', '.join(full[k.name] for k in found)}): choose one by its full name"
        )
    near = difflib.get_close_matches(kernel, names.values(), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise CompileError(f"{file}: no kernel '{shortened(kernel)}' here (there is: {listed}){hint}")


def _full_name(symbol: str, symbols: list[str]) -> str:
    """The shortest name that chooses the kernel `symbol` among `symbols`: `k`, `ns::k`,
    `k<int>`, or, among overloads, the mangled one."""
    from codegen import mangling, signature

    spellings = (signature.base_name, lambda s: mangling.demangle(s).name)
    for spelling in spellings:
        if [spelling(other) for other in symbols].count(spelling(symbol)) == 1:
            return letters.put_back(spelling(symbol))
    return symbol


def _params(
    function: ast.Function, known: tuple[Parameter, ...] | None, bits: int
) -> tuple[Param, ...]:
    """Names, places and types of the kernel's parameters, from what there is to know them by."""
    from codegen import signature
    from codegen.lower.layout import parameter_offsets
    from codegen.pointers import pointer_parameters

    offsets, _ = parameter_offsets(function.params)
    mangled = signature.from_mangled(function.name, bits)
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
            name = letters.put_back(known[at].name) or name
            pointer = known[at].pointer
            type_ = type_ or known[at].type
        params.append(Param(name, offsets[param.name], param.size, pointer, type_))
    return tuple(params)
