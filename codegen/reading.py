"""Reading a source file that may be anything: a folder, a pipe, gigabytes, no text at all."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from codegen.errors import CompileError

# A kernel that the machine can hold is a few kB; PTX of a file with many kernels is some 100 kB.
LARGEST: Final = {".cu": 1 << 20, ".ptx": 1 << 20}
LARGEST_OTHER: Final = 16 << 20

LONGEST_NUMBER: Final = 80
LONGEST_NAME: Final = 4096
MOST_REGISTERS: Final = 1 << 16
_LONG_NUMBER: Final = re.compile(rf"\w{{{LONGEST_NUMBER + 1},}}")
_REGISTERS: Final = re.compile(r"<\s*(\d{1,80})\s*>")


def check_ptx(text: str, name: str) -> None:
    """Refuses PTX that would take for ever to read. Raises CompileError."""
    most = LARGEST[".ptx"]
    if len(text) > most:
        raise CompileError(f"{name}: {len(text):,} characters; at most {most:,}")
    for found in _LONG_NUMBER.finditer(text):
        if found[0][0].isdigit():
            line = text.count("\n", 0, found.start()) + 1
            raise CompileError(f"{name}:{line}: a number of {len(found[0]):,} digits")
        if len(found[0]) > LONGEST_NAME:
            line = text.count("\n", 0, found.start()) + 1
            raise CompileError(f"{name}:{line}: a name of {len(found[0]):,} characters")
    for found in _REGISTERS.finditer(text):
        if int(found[1]) > MOST_REGISTERS:
            line = text.count("\n", 0, found.start()) + 1
            raise CompileError(f"{name}:{line}: {found[1]} registers; at most {MOST_REGISTERS:,}")


def read_text(path: Path) -> str:
    """The text of a file. Raises CompileError: `path: what is wrong`."""
    limit = LARGEST.get(path.suffix, LARGEST_OTHER)
    try:
        # not to wait for a writer where the file is a pipe
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                kind = "a folder" if stat.S_ISDIR(about.st_mode) else "no ordinary file"
                raise CompileError(f"{path}: is {kind}, expected a file")
            if about.st_size > limit:
                raise CompileError(f"{path}: {about.st_size:,} bytes; at most {limit:,}")
            content = file.read(limit + 1)[:limit]
    except IsADirectoryError:
        raise CompileError(f"{path}: is a folder, expected a file") from None
    except (OSError, ValueError) as error:
        raise CompileError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CompileError(f"{path}:{line}: not a text file (it is not UTF-8)") from None
    if "\x00" in text:
        raise CompileError(f"{path}: not a text file (it holds a NUL byte)")
    return text.replace("\r\n", "\n")
