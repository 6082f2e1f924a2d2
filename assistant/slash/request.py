"""A kernel that a person wants run: from a file, or pasted whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assistant import sources
from assistant.config import Config
from assistant.slash.options import RunOptions, parse_options, words_of
from vgpu.errors import InputError

if TYPE_CHECKING:
    from vgpu.program import Param, Program

PASTED: Final = "pasted.cu"  # its name in messages
# A kernel with its body, not a question about __global__.
_KERNEL: Final = re.compile(r"__global__\b[^;{}]*\([^{};]*\)\s*\{")
# Prose before it makes it a question about the kernel.
_CODE: Final = re.compile(
    r"\s*(?:#|//|/\*|--[a-z]|/run\b|__\w+__|(?:extern|template|typedef|struct|class|enum|union|using|"
    r"namespace|static|inline|const|constexpr|unsigned|signed|int|float|double|long|short|char|void|"
    r"bool)\b)"
)
_OPTIONS: Final = re.compile(r"\s*(?://+\s*)?(?:/?run:?\s+)?(?P<options>--[a-z].*)", re.DOTALL)
_ARRAY: Final = 4  # elements in an example
_OUTPUTS: Final = ("out", "res", "dst", "y", "c")
_COUNTS: Final = ("n", "m", "k", "len", "length", "size", "count", "rows", "cols", "columns")


class InputsNeeded(InputError):
    """The kernel has parameters and was given nothing. The text lists them and gives an example;
    `example` is a line that `Request.given` takes."""

    def __init__(self, message: str, example: str) -> None:
        super().__init__(message)
        self.example = example


@dataclass(frozen=True)
class Request:
    """`source` is the CUDA when it was pasted; otherwise `file` is read when it runs. `task` is
    what a program of advanced mode was written for, when it is run again."""

    file: Path
    options: RunOptions = field(default_factory=RunOptions)
    source: str | None = None
    task: Mapping[str, Any] | None = None

    def given(self, line: str) -> Request:
        """The same kernel with the options of a line. Raises InputError."""
        match = _OPTIONS.fullmatch(line.strip())
        words = words_of(match["options"]) if match else words_of(line)
        return replace(self, options=parse_options(words))

    def program(self, settings: Config) -> Program:
        """Compiles it. Raises InputError: also `InputsNeeded`."""
        import codegen

        kernel, via, clang = self.options.kernel, settings["via"], settings["clang"]
        if self.source is None and self.file.suffix != ".cu":
            program = sources.program(self.file, kernel, via, clang)
        else:
            program = codegen.compile_source(
                self.text() or "", kernel, str(self.file), via=via, clang=clang
            )
        if program.params and not self.options.has_arguments:
            raise _needed(program, self.text())
        return program

    def text(self) -> str | None:
        """The CUDA or PTX, None for a compiled program. Raises InputError."""
        if self.source is not None:
            return self.source
        sources.existing(self.file)
        return None if self.file.suffix == ".vgpu" else sources.text(self.file)


def is_source(text: str) -> bool:
    """Whether a message is a whole CUDA file: it is run, not asked."""
    return _KERNEL.search(text) is not None and _CODE.match(text) is not None


def is_options(text: str) -> bool:
    """Whether a message is a line of options, for a kernel that waits for them."""
    return "\n" not in text.strip() and _OPTIONS.fullmatch(text.strip()) is not None


def pasted(text: str) -> Request:
    """The request of a pasted file; its first line may hold the options, bare, in a comment, or
    after `/run`. Raises InputError on options that cannot be."""
    first, newline, rest = text.lstrip().partition("\n")
    match = _OPTIONS.fullmatch(first)
    if match is None or "__global__" in first:
        return Request(Path(PASTED), source=text)
    # The line stays, empty: the lines of messages are those of the paste.
    before = text[: len(text) - len(text.lstrip())]
    options = parse_options(words_of(match["options"]))
    return Request(Path(PASTED), options, source=before + newline + rest)


def from_file(argument: str) -> Request:
    """The request of `/run FILE [OPTIONS]`. Raises InputError."""
    file, *words = words_of(argument)
    if file.startswith("--"):
        raise InputError(f"/run {file}: expected the file first: /run FILE [OPTIONS]")
    path = Path(file).expanduser()
    sources.existing(path)
    return Request(path, parse_options(words))


def _needed(program: Program, source: str | None) -> InputsNeeded:
    outputs = _outputs(program, source or "")
    lines = [f"{program.kernel} needs its inputs:"]
    example = []
    if any(p.pointer for p in program.params):
        example.append(f"--block {_ARRAY}")
    for param in program.params:
        kind = param.type or "i32"
        if not param.pointer:
            value = _ARRAY if param.name.lower() in _COUNTS else 1
            example.append(f"--set {param.name}={value}")
            lines.append(f"  {param.name}: one {kind}: --set {param.name}=V")
        elif param.name in outputs:
            example.append(f"--out {param.name}={_ARRAY}")
            lines.append(f"  {param.name}: {kind} numbers: --out {param.name}=COUNT reads it back")
        else:
            values = ",".join(str(i) for i in range(1, _ARRAY + 1))
            example.append(f"--in {param.name}={values}")
            lines.append(f"  {param.name}: {kind} numbers: --in {param.name}=V,V,...")
    line = " ".join(example)
    return InputsNeeded("\n".join([*lines, f"send a line such as:\n  {line}"]), line)


def _outputs(program: Program, source: str) -> set[str]:
    """Which arrays an example reads back: those not const, those named so, or the last."""
    arrays: list[Param] = [p for p in program.params if p.pointer]
    constant = {
        p.name
        for p in arrays
        if re.search(rf"\bconst\b[^,()]*\*[^,()]*\b{re.escape(p.name)}\b", source)
    }
    if constant and len(constant) < len(arrays):
        return {p.name for p in arrays} - constant
    named = {p.name for p in arrays if p.name.lower().startswith(_OUTPUTS)}
    return named if named and len(named) < len(arrays) else {p.name for p in arrays[-1:]}
