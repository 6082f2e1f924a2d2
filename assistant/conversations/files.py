"""The file on disk: made, opened, checked, and moved aside when it is damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path
from typing import Final

from assistant.conversations import schema
from assistant.conversations.problems import StorageProblem, cause_of, damaged, newer, problem_of

CHECKED: Final = 8 << 20  # bytes up to which a file is read through at the start (some 20 ms)


def open_file(path: Path) -> tuple[sqlite3.Connection, StorageProblem | None]:
    """The file with its tables; a damaged one is kept under another name, which is the notice.

    Raises StorageProblem when the file cannot be used.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Conversations are their owner's; SQLite gives its other files the mode of this one.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        return _opened(path), None
    except schema.NewerSchema as error:
        raise newer(path, error.version, len(schema.MIGRATIONS)) from None
    except (sqlite3.Error, OSError) as error:
        if cause_of(error) != "damaged":
            raise problem_of(error, path) from None
    return replace_damaged(path)


def replace_damaged(path: Path) -> tuple[sqlite3.Connection, StorageProblem | None]:
    """A new file in the place of a damaged one, unless another program has just seen to it."""
    import filelock

    try:
        with filelock.FileLock(f"{path}.lock", timeout=schema.WAIT):
            try:
                return _opened(path, check=True), None
            except sqlite3.Error as error:
                if cause_of(error) != "damaged":
                    raise
            kept = _move_aside(path)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            return _opened(path), damaged(path, kept)
    except schema.NewerSchema as error:
        raise newer(path, error.version, len(schema.MIGRATIONS)) from None
    except (sqlite3.Error, OSError) as error:
        raise problem_of(error, path) from None


def readable_copy(path: Path) -> sqlite3.Connection:
    """A database in memory with what can be read of the file: at worst, nothing."""
    memory = schema.connect(None)
    # Immutable: a file in a folder where nothing can be written has no room for WAL's files.
    for mode in ("mode=ro", "immutable=1"):
        try:
            uri = f"{path.absolute().as_uri()}?{mode}"
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as source:
                _copy(source, memory)
            schema.migrate(memory)
            return memory
        except (sqlite3.Error, schema.NewerSchema):
            memory.close()
            memory = schema.connect(None)
    schema.migrate(memory)
    return memory


def _copy(source: sqlite3.Connection, memory: sqlite3.Connection) -> None:
    source.backup(memory)
    memory.execute("PRAGMA foreign_keys = ON")
    memory.execute("SELECT count(*) FROM conversations").fetchone()


def _opened(path: Path, *, check: bool = False) -> sqlite3.Connection:
    database = schema.connect(path)
    try:
        schema.migrate(database)
        database.execute("SELECT id FROM conversations ORDER BY updated DESC LIMIT 1").fetchone()
        if check or path.stat().st_size <= CHECKED:
            found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(f"malformed: {found}")
    except BaseException:
        database.close()
        raise
    return database


def _move_aside(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.stem}.damaged-{stamp}-{number}{path.suffix}")
    path.rename(kept)
    for part in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{path}{part}").rename(f"{kept}{part}")
    return kept
