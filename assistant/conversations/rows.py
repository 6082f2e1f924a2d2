"""Rows of the tables as records."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

from assistant.conversations import writers
from assistant.conversations.records import Conversation, Message

CONVERSATIONS: Final = (
    "SELECT c.id, c.title, c.created, c.updated, c.host, c.mode, "
    "(SELECT count(*) FROM messages m WHERE m.conversation = c.id), c.named FROM conversations c"
)


def conversation_of(row: tuple[Any, ...]) -> Conversation:
    """A row of `CONVERSATIONS`."""
    id, title, created, updated, host, mode, messages, named = row
    return Conversation(id, title, created, updated, host, mode, messages, bool(named))


def message_of(db: sqlite3.Connection, row: tuple[Any, ...]) -> Message:
    """A row of id, the fields of `Message` to `problem`, and the writer."""
    id, conversation, number, role, text, created, mode, state, record, problem, writer = row
    if state == "streaming":
        text = text_of(db, id)
        state = state if writers.is_alive(writer) else "interrupted"
    traces = db.execute("SELECT name FROM traces WHERE message = ? ORDER BY name", (id,))
    return Message(
        conversation, number, role, text, created, mode, state,
        None if record is None else json.loads(record), problem, tuple(t[0] for t in traces),
    )  # fmt: skip


def text_of(db: sqlite3.Connection, message: int) -> str:
    """What an unfinished answer has said."""
    begun: str = db.execute("SELECT text FROM messages WHERE id = ?", (message,)).fetchone()[0]
    pieces = db.execute("SELECT text FROM pieces WHERE message = ? ORDER BY number", (message,))
    return begun + "".join(piece[0] for piece in pieces)
