"""What is written, within a transaction of the caller's."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from assistant.conversations import writers
from assistant.conversations.records import Conversation, Role, State, title_of

Record = Mapping[str, Any] | None


def insert(
    db: sqlite3.Connection,
    talk: Conversation,
    role: Role,
    text: str,
    mode: str,
    state: State,
    record: Record = None,
    problem: str = "",
) -> int:
    """Adds a message, and the conversation's row where there is none. Its number."""
    db.execute(
        "INSERT OR IGNORE INTO conversations (id, title, named, host, mode, created, updated) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            talk.id, storable(talk.title), talk.named, talk.host, talk.mode, talk.created,
            talk.updated,
        ),
    )  # fmt: skip
    number: int = db.execute(
        "SELECT coalesce(max(number), 0) + 1 FROM messages WHERE conversation = ?", (talk.id,)
    ).fetchone()[0]
    db.execute(
        "INSERT INTO messages (conversation, number, role, text, mode, state, record, problem, "
        "writer, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            talk.id, number, role, storable(text), mode, state, _json(record), storable(problem),
            writers.this_process() if state == "streaming" else "", time.time(),
        ),
    )  # fmt: skip
    if role == "user":
        db.execute(
            "UPDATE conversations SET title = ? WHERE id = ? AND title = ''",
            (title_of(storable(text)), talk.id),
        )
    _touch(db, talk.id)
    return number


def add_piece(db: sqlite3.Connection, conversation: str, number: int, at: int, piece: str) -> bool:
    """Adds a piece of an answer; False when there is no such message."""
    added = db.execute(
        "INSERT INTO pieces (message, number, text) SELECT id, ?, ? FROM messages "
        "WHERE conversation = ? AND number = ?",
        (at, storable(piece), conversation, number),
    )
    return added.rowcount > 0


def end(
    db: sqlite3.Connection,
    conversation: str,
    number: int,
    text: str,
    state: State,
    record: Record,
    problem: str,
) -> None:
    """Puts the whole text in the place of the pieces."""
    db.execute(
        "UPDATE messages SET text = ?, state = ?, record = ?, problem = ?, writer = '', "
        "indexed = 0 WHERE conversation = ? AND number = ?",
        (storable(text), state, _json(record), storable(problem), conversation, number),
    )
    db.execute("DELETE FROM pieces WHERE message = ?", (id_of(db, conversation, number),))
    _touch(db, conversation)


def id_of(db: sqlite3.Connection, conversation: str, number: int) -> int | None:
    row = db.execute(
        "SELECT id FROM messages WHERE conversation = ? AND number = ?", (conversation, number)
    ).fetchone()
    return row[0] if row else None


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which bytes that are not UTF-8 become in Python."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _touch(db: sqlite3.Connection, conversation: str) -> None:
    db.execute("UPDATE conversations SET updated = ? WHERE id = ?", (time.time(), conversation))


def _json(record: Record) -> str | None:
    return None if record is None else json.dumps(record)
