"""What can go wrong with the file of conversations, in one line each that names the mend."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final, Literal

from vgpu.errors import VgpuError

Cause = Literal["full", "read-only", "damaged", "newer", "busy", "unreadable"]
_MEMORY: Final = "this session is kept in memory only"


class StorageProblem(VgpuError):
    """A notice, not a failure: the store goes on. `path` is the file, `kept` the damaged file that
    was moved aside, `cause` what to decide by."""

    def __init__(
        self, message: str, cause: Cause, path: Path | None = None, kept: Path | None = None
    ) -> None:
        super().__init__(message)
        self.cause, self.path, self.kept = cause, path, kept


def cause_of(error: sqlite3.Error | OSError) -> Cause:
    """What an error of SQLite, or of the folder, comes from."""
    name = getattr(error, "sqlite_errorname", "") or ""
    text = str(error)
    if name.startswith("SQLITE_FULL") or "full" in text or "No space" in text or "quota" in text:
        return "full"
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "malformed" in text:
        return "damaged"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or "locked" in text:
        return "busy"
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM")) or isinstance(error, PermissionError):
        return "read-only"
    if "Read-only" in text or "readonly" in text:
        return "read-only"
    return "unreadable"


def problem_of(error: sqlite3.Error | OSError, path: Path) -> StorageProblem:
    """The notice for an error after which the session is kept in memory."""
    cause = cause_of(error)
    mends = {
        "full": "the disk is full; free some space, then /save",
        "read-only": f"cannot be written; make {path.parent} writable, then /save",
        "damaged": "is damaged; move it away and start again",
        "busy": "another program holds it locked; close that program, then /save",
        "unreadable": f"cannot be used ({_plain(error)}); see to {path.parent}, then /save",
    }
    return StorageProblem(f"{path}: {mends[cause]}: {_MEMORY}", cause, path)


def newer(path: Path, version: int, known: int) -> StorageProblem:
    return StorageProblem(
        f"{path}: written by a newer version (schema {version}, this one knows {known}); "
        f"update vgpu-assistant: {_MEMORY}",
        "newer",
        path,
    )


def damaged(path: Path, kept: Path) -> StorageProblem:
    return StorageProblem(
        f"{path}: was damaged; it is kept as {kept.name} and a new file was begun; to get "
        f'conversations back: sqlite3 "{kept}" .recover | sqlite3 rescued.db',
        "damaged",
        path,
        kept,
    )


def _plain(error: sqlite3.Error | OSError) -> str:
    return getattr(error, "strerror", None) or str(error)
