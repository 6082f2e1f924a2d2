"""Reading a source file that may be anything: a folder, a pipe, gigabytes, no text at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from codegen.errors import CompileError

# A kernel that the machine can hold is a few kB; PTX of a file with many kernels is some 100 kB.
LARGEST: Final = {".cu": 1 << 20, ".ptx": 1 << 20}
LARGEST_OTHER: Final = 16 << 20


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
