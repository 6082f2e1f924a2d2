"""Conversations from one database to another: after a time in memory, back to the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from assistant.conversations import schema

_CONVERSATION = "id, title, named, host, mode, created, updated"
_MESSAGE = (
    "conversation, number, role, text, mode, state, record, problem, writer, created, indexed"
)


def copy(source: sqlite3.Connection, target: sqlite3.Connection, names: Sequence[str]) -> None:
    """Makes each of the conversations in `target` what it is in `source`: also gone, if it is
    gone there. All or nothing. Raises sqlite3.Error."""

    def work(db: sqlite3.Connection) -> None:
        for name in names:
            _conversation(source, db, name)

    schema.transaction(target, work)


def _conversation(source: sqlite3.Connection, db: sqlite3.Connection, name: str) -> None:
    db.execute("DELETE FROM conversations WHERE id = ?", (name,))
    row = source.execute(f"SELECT {_CONVERSATION} FROM conversations WHERE id = ?", (name,))
    found = row.fetchone()
    if found is None:
        return
    db.execute(f"INSERT INTO conversations ({_CONVERSATION}) VALUES (?, ?, ?, ?, ?, ?, ?)", found)
    for id, *fields in source.execute(
        f"SELECT id, {_MESSAGE} FROM messages WHERE conversation = ? ORDER BY number", (name,)
    ).fetchall():
        fields[-1] = 0  # the ids of the other database's index are not these
        marks = ", ".join("?" * len(fields))
        new = db.execute(f"INSERT INTO messages ({_MESSAGE}) VALUES ({marks})", fields).lastrowid
        for table, columns in (("pieces", "number, text"), ("traces", "name, data")):
            rows = source.execute(f"SELECT {columns} FROM {table} WHERE message = ?", (id,))
            db.executemany(
                f"INSERT INTO {table} (message, {columns}) VALUES ({new}, ?, ?)", rows.fetchall()
            )
