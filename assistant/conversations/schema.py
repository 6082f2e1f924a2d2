"""The tables, by version, and connections to them.

`PRAGMA user_version` holds the version of a file; each migration takes it one further. The index
for searching is no part of the schema: an SQLite without FTS5 reads and writes the file as well.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

APPLICATION: Final = 0x76677075  # "vgpu": what `file` shows of the database
WAIT: Final = 2.0  # seconds for another program's write to end
Migrations = tuple[tuple[str, ...], ...]

MIGRATIONS: Final[Migrations] = (
    (
        """CREATE TABLE conversations (
            id TEXT PRIMARY KEY, title TEXT NOT NULL, named INTEGER NOT NULL DEFAULT 0,
            host TEXT NOT NULL DEFAULT '', mode TEXT NOT NULL DEFAULT '',
            created REAL NOT NULL, updated REAL NOT NULL)""",
        "CREATE INDEX conversations_updated ON conversations (updated)",
        # Ids are never used again: rows of the search index may outlive their message.
        """CREATE TABLE messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            number INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL,
            mode TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, record TEXT,
            problem TEXT NOT NULL DEFAULT '', writer TEXT NOT NULL DEFAULT '',
            created REAL NOT NULL, indexed INTEGER NOT NULL DEFAULT 0,
            UNIQUE (conversation, number))""",
        "CREATE INDEX messages_streaming ON messages (state) WHERE state = 'streaming'",
        "CREATE INDEX messages_unindexed ON messages (indexed) WHERE indexed = 0",
        # What an answer in progress has said: a row a token, so that none costs more than the last.
        """CREATE TABLE pieces (
            message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            number INTEGER NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY (message, number)) WITHOUT ROWID""",
        """CREATE TABLE traces (
            message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            name TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (message, name))""",
    ),
)


class NewerSchema(Exception):
    """The file is of a version that this program does not know."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version


def connect(path: Path | None) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time. None is memory. Raises sqlite3.Error."""
    database = sqlite3.connect(
        str(path) if path else ":memory:",
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        # Damage shows here, as the first page is read.
        database.execute("PRAGMA user_version").fetchone()
        if path:
            database.execute("PRAGMA journal_mode = WAL")
            # A killed program loses nothing; a power cut loses the last seconds, never the file.
            database.execute("PRAGMA synchronous = NORMAL")
        database.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error:
        database.close()
        raise
    return database


def migrate(database: sqlite3.Connection, migrations: Migrations = MIGRATIONS) -> None:
    """Brings the tables to the newest version, all or nothing. Raises NewerSchema."""
    if _version(database) == len(migrations):
        return

    def work(database: sqlite3.Connection) -> None:
        at = _version(database)  # another program may have been quicker
        if at > len(migrations):
            raise NewerSchema(at)
        for statements in migrations[at:]:
            for statement in statements:
                database.execute(statement)
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {len(migrations)}")

    version = _version(database)
    if version > len(migrations):
        raise NewerSchema(version)
    transaction(database, work)


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def transaction(database: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    """What `work` returns, written whole or not at all."""
    database.execute("BEGIN IMMEDIATE")
    try:
        result = work(database)
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    return result
