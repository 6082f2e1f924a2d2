"""Where in the user's source the inline PTX stands that the parser stumbled over."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from codegen.errors import CompileError, place, place_of
from codegen.headers import INPUT

_BEGIN: Final = "// begin inline asm"
_FILE: Final = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"', re.MULTILINE)
_LOC: Final = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_SITE: Final = re.compile(r"@\[ (.+?):(\d+):(\d+)(?= \]| @\[)")


def told_of_source(error: CompileError, shown: str, ptx: str, name: str) -> CompileError:
    """`error`, which names a line of the `ptx` that clang made (called `shown`), told of the line
    of the source `name` whose inline PTX is the last before it; as it is when there is none."""
    line, _ = place_of(str(error), shown)
    lines = ptx.split("\n")[:line]
    begins = [n for n, text in enumerate(lines) if text.strip() == _BEGIN]
    if not begins:
        return error
    row, column = _source_of(lines[: begins[-1]], dict(_FILE.findall(ptx)))
    what = re.sub(r"^(\d+:){0,2} *", "", str(error).removeprefix(f"{shown}:"))
    return CompileError(place(name, row, column, f"inline PTX: {what}"))


def _source_of(lines: list[str], files: dict[str, str]) -> tuple[int, int]:
    """Line and column of the user's text that the last `.loc` tells, 0 when it tells none."""
    for text in reversed(lines):
        loc = _LOC.match(text)
        if loc is None:
            continue
        places = [(files.get(loc[1], ""), loc[2], loc[3]), *_SITE.findall(text)]
        for path, row, column in places:
            if PurePosixPath(path).name == INPUT:
                return int(row), int(column)
    return 0, 0
