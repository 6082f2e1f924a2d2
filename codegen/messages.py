"""clang's messages in the user's terms: one line with the user's file, line and column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePath
from typing import Final

from codegen import letters
from codegen.errors import CompileError, place, shortened
from codegen.headers import HEADERS, INPUT, UNSUPPORTED

_MESSAGE: Final = re.compile(r"^(.*?):(\d+):(\d+): (fatal error|error|note): (.*)$")
_NO_FILE: Final = re.compile(r"^'(.*)' file not found")
_LONGEST_LINE: Final = 250
_LONGEST_HEADER: Final = 60
_ALONE: Final = (
    "no such header here; a kernel file stands alone, leave the line out "
    "(cuda_runtime.h, stdint.h and the C headers are built in)"
)

_INTEGERS: Final = "the machine computes with integers; scale if need be"
_MENDS: Final = tuple(
    (re.compile(pattern), mend)
    for pattern, mend in (
        (r"(undeclared identifier|no matching function.*) '_*(sqrt|cbrt|sin|cos|tan|asin|acos|atan|"
         r"atan2|sinh|cosh|tanh|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|fmod|hypot|erf|rsqrt|round|"
         r"rint|lround|rcbrt|tgamma|lgamma|floor|ceil|fabs|fma)f?'", _INTEGERS),
        (r"'(__half2?|half2?|__nv_bfloat16|__nv_bfloat162)'", _INTEGERS),
        (r"undeclared identifier '__(shfl\w*|any|all|ballot)'",
         "use the _sync function, with the mask 0xffffffff"),
        (r"reference to __host__ .* in __(global|device)",
         "mark it __device__, or write to an output"),
        (r"requires -fgpu-rdc", "a kernel cannot launch a kernel here: call a __device__ function"),
    )
)  # fmt: skip


class ClangError(CompileError):
    """clang's first error. `line` is 0 when it has none; `missing` a header that is not here."""

    def __init__(
        self, message: str, details: str = "", line: int = 0, missing: str | None = None
    ) -> None:
        super().__init__(message, details)
        self.line = line
        self.missing = missing


@dataclass(frozen=True)
class _Message:
    index: int  # its line in clang's output
    file: str
    line: int
    column: int
    kind: str
    text: str

    @property
    def ours(self) -> bool:
        """Whether it lies in the user's text, which `#line` may call anything."""
        path = PurePath(self.file)
        return path.name == INPUT or not (path.parent == HEADERS or self.file.startswith("<"))


def explain(output: str, name: str, source: str) -> ClangError:
    """The first error of clang's output that concerns the text `source`, called `name`."""
    lines = letters.put_back(output).splitlines()
    messages = [m for m in map(_parse, range(len(lines)), lines) if m]
    for message in messages:
        if message.kind == "note":
            continue
        at = message
        if not message.ours:
            # an error inside a header: a note that follows tells which call caused it
            later = (m for m in messages if m.index > message.index and m.ours)
            at = next(later, message)
            if at is message:
                continue
        return _as_error(message, at, lines, name, source)
    if "clang frontend command failed" in output or not lines:
        return ClangError(f"{name}: clang crashed on this source; make it simpler")
    told = next((s for s in lines if "error" in s), "clang failed")
    return ClangError(f"{name}: {told.replace(INPUT, name)}")


def _parse(index: int, line: str) -> _Message | None:
    match = _MESSAGE.match(line)
    if match is None:
        return None
    file, row, column, kind, text = match.groups()
    return _Message(index, file, int(row), int(column), kind, text)


def _as_error(
    message: _Message, at: _Message, lines: list[str], name: str, source: str
) -> ClangError:
    written = letters.put_back(source).splitlines()
    # `#line` may name any line; only those of the source can be shown
    line, column = (at.line, at.column) if at.line <= len(written) else (0, 0)
    absent = _NO_FILE.match(message.text)
    if absent:
        header = absent[1]
        reason = UNSUPPORTED.get(header, _ALONE)
        text = f"{_directive(written, line, header)}: {reason}"
        return ClangError(place(name, line, column, text), "", line, header)
    details = ""
    if at is message:
        shown = list(takewhile(lambda s: not _MESSAGE.match(s), lines[message.index + 1 :]))[:3]
        if all(len(s) <= _LONGEST_LINE for s in shown):
            details = "\n".join(s for s in shown if "generated" not in s)
    told = shortened(message.text)
    if len(told) > _LONGEST_LINE:
        told = told[:_LONGEST_LINE] + "..."
    mend = next((mend for pattern, mend in _MENDS if pattern.search(told)), None)
    if mend:
        told = f"{told.split('; did you mean')[0]}: {mend}"
    return ClangError(place(name, line, column, f"error: {told}"), details, line)


def _directive(written: list[str], line: int, header: str) -> str:
    """The directive that asked for `header`, as the user wrote it; of a long name its start."""
    if line:
        text = written[line - 1].split("//")[0].strip()
        if header in text and text.startswith("#") and len(text) <= _LONGEST_LINE:
            return text
    shown = header if len(header) <= _LONGEST_HEADER else f"{header[:_LONGEST_HEADER]}…"
    return f'#include "{shown}"'
