"""Where the conversations are, and a store for them that is there whatever the disk says."""

from __future__ import annotations

from pathlib import Path

from assistant import config
from assistant.conversations import files
from assistant.conversations.problems import StorageProblem
from assistant.conversations.store import Store


def default_path() -> Path:
    return config.data_dir() / "conversations.db"


def open_store(path: Path | None = None) -> Store:
    """The store of `path` (`default_path()` when None). Never fails: when the file cannot be used,
    the store is kept in memory, with a copy of what can be read, and `take_notices` says why."""
    path = path or default_path()
    try:
        database, notice = files.open_file(path)
    except StorageProblem as problem:
        return Store(files.readable_copy(path), path, saved=False, notices=[problem])
    return Store(database, path, notices=[notice] if notice else [])
