"""A .cu file as people write them, to PTX: the host part put aside, instances of templates made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from codegen import clang, hostpart, letters
from codegen.clang import Options
from codegen.errors import CompileError
from codegen.headers import HEADERS
from codegen.messages import ClangError

_INSTANCE: Final = re.compile(r"^[A-Za-z_:][\w:]*\s*<[\w\s,:*&()+-]*>$")
_INCLUDE: Final = re.compile(r"^(?:#|%:)[ \t]*include[ \t]*<(?!/)([^>\n]*)>")


@dataclass(frozen=True)
class Unit:
    """`text` is what was compiled: the user's text, perhaps with the host part blanked and lines
    added after its end. `ptx` is what came out."""

    text: str
    ptx: str


def check(source: str, name: str) -> None:
    """Raises CompileError for a text that is no source."""
    size = len(source)
    if size > clang.SOURCE_BYTES:
        raise CompileError(f"{name}: {size:,} characters; at most {clang.SOURCE_BYTES:,}")
    if "\x00" in source:
        raise CompileError(f"{name}: not a text file (it holds a NUL byte)")


def compile_unit(source: str, name: str, kernel: str | None, options: Options) -> Unit:
    """The PTX of a .cu text. `kernel` may be an instance of a template: `fill<int>`.

    Where the whole file does not compile, the device part alone is tried. Raises CompileError.
    """
    check(source, name)
    source = letters.spell(source)
    wanted = [letters.spell(kernel)] if kernel and _INSTANCE.match(kernel) else []
    try:
        return _attempt(source, name, wanted, options)
    except ClangError as error:
        return _device_part(source, name, wanted, options, error)


def host_functions(source: str) -> tuple[str, ...]:
    """Names of the functions that run on the CPU, which a run leaves out."""
    return hostpart.split(source).functions


def _attempt(text: str, name: str, instances: list[str], options: Options) -> Unit:
    """Compiles `text` with `instances` of its templates."""
    whole = text + _instantiate(instances)
    return Unit(whole, clang.compile_to_ptx(whole, name, options))


def _instantiate(instances: list[str]) -> str:
    """A host function that names the instances, after the end of the text."""
    if not instances:
        return ""
    uses = " ".join(f"(void)&{instance};" for instance in instances)
    return f"\nstatic void vgpu_instances() {{ {uses} }}\n"


def _device_part(
    source: str, name: str, wanted: list[str], options: Options, first: ClangError
) -> Unit:
    """What is left when the host part is blanked; `first` is the error of the whole.

    Raises the error that concerns the device part.
    """
    host = hostpart.split(source)
    text = _without_foreign_includes(host.device)
    if text == source:
        raise first
    last = source.count("\n") + 1
    for instances in ([*host.instances, *wanted], wanted):
        try:
            unit = _attempt(text, name, instances, options)
            if ".entry" not in unit.ptx:
                break  # no kernel is left: what was put aside mattered
            return unit
        except ClangError as error:
            # a launch in the host part may name what only the host part knows
            if error.line <= last or instances is wanted:
                raise (error if first.line in host.lines else first) from None
    raise first


def _without_foreign_includes(text: str) -> str:
    """`text` with each `#include <...>` of a library that is not here made a blank line."""
    pieces = []
    for token in hostpart.tokens(text):
        match = _INCLUDE.match(token.text) if token.kind == "directive" else None
        foreign = match is not None and ".." not in match[1] and not (HEADERS / match[1]).is_file()
        pieces.append(re.sub(r"[^\n]", " ", token.text) if foreign else token.text)
    return "".join(pieces)
