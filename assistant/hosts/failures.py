"""What goes wrong with disks, in one line with the mend."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from vgpu.errors import RunError, VgpuError

AGAIN = "run `assistant build` again: it goes on where it stopped"
_FULL = {errno.ENOSPC, errno.EDQUOT}
_CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR}


class Unavailable(Exception):
    """This source does not have the host now; the next one may."""


def first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextlib.contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turns a full, read-only or broken disk under `folder` into a `RunError` of one line."""
    try:
        yield
    except (VgpuError, Unavailable):
        raise
    except Exception as error:
        told = _told(error, folder)
        if told is None:
            raise
        raise RunError(told) from None


def _told(error: BaseException, folder: Path) -> str | None:
    """safetensors (Rust) hides the number in its text: "... (os error 28)"."""
    number = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if number in _FULL or "(os error 28)" in text:
        return f"the disk of {folder} is full: free some space and {AGAIN}"
    if number == errno.EFBIG or "(os error 27)" in text:
        return f"{folder}: a file may not grow so large here (ulimit -f): raise it and {AGAIN}"
    if number in _CLOSED:
        return (
            f"{folder} cannot be written: make it writable, or set XDG_CACHE_HOME to a folder "
            "that is"
        )
    if isinstance(error, OSError) and number is not None:
        return f"{getattr(error, 'filename', None) or folder}: {error.strerror}"
    return None
