"""Search: FTS5's index of three-letter groups where SQLite has it, every text in turn where not.

The index is filled as a search begins, from the messages that are new since the last one: writing
an answer costs nothing more, and a file that another SQLite wrote without FTS5 catches up.
"""

from __future__ import annotations

import contextlib
import sqlite3
from typing import Final

_GROUP: Final = 3  # letters; shorter words are in no index of them
_BEFORE, _LENGTH = 24, 72  # characters of an excerpt before the word, and in all

Hit = tuple[str, int, str]


def has_index(db: sqlite3.Connection) -> bool:
    """Whether this SQLite knows FTS5 and groups of three."""
    try:
        db.execute("CREATE VIRTUAL TABLE temp.probe USING fts5(text, tokenize = 'trigram')")
        db.execute("DROP TABLE temp.probe")
    except sqlite3.OperationalError:
        return False
    return True


def update(db: sqlite3.Connection) -> None:
    """Indexes what is not. Raises sqlite3.Error without FTS5, or where nothing can be written."""
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS found USING fts5(text, tokenize = 'trigram')")
    new = "indexed = 0 AND state != 'streaming'"
    db.execute(f"DELETE FROM found WHERE rowid IN (SELECT id FROM messages WHERE {new})")
    db.execute(f"INSERT INTO found (rowid, text) SELECT id, text FROM messages WHERE {new}")
    db.execute(f"UPDATE messages SET indexed = 1 WHERE {new}")


def forget(db: sqlite3.Connection, conversation: str) -> None:
    """Takes a conversation's messages out of the index, if there is one."""
    with contextlib.suppress(sqlite3.OperationalError):
        db.execute(
            "DELETE FROM found WHERE rowid IN (SELECT id FROM messages WHERE conversation = ?)",
            (conversation,),
        )


def search(db: sqlite3.Connection, query: str, limit: int) -> list[Hit]:
    """Conversation, message number (0: its title) and excerpt, the latest first."""
    words = [word.casefold() for word in query.split()]
    if not words:
        return []
    # LIKE takes ä and Ä for two letters.
    db.create_function("holds", 2, lambda text, word: word in text.casefold(), deterministic=True)
    return (_titles(db, words) + _messages(db, words, limit))[:limit]


def _titles(db: sqlite3.Connection, words: list[str]) -> list[Hit]:
    rows = db.execute(
        f"SELECT id, title FROM conversations WHERE named AND {_all('title', words)} "
        "ORDER BY updated DESC",
        words,
    )
    return [(name, 0, title) for name, title in rows]


def _messages(db: sqlite3.Connection, words: list[str], limit: int) -> list[Hit]:
    select = "SELECT m.id, m.conversation, m.number, m.text FROM messages m"
    order = "ORDER BY m.id DESC LIMIT ?"
    held = _all("m.text", words)
    rows: list[tuple[int, str, int, str]] | None = None
    if indexed := [word for word in words if len(word) >= _GROUP]:
        match = " AND ".join('"' + word.replace('"', '""') + '"' for word in indexed)
        with contextlib.suppress(sqlite3.OperationalError):
            rows = db.execute(
                f"{select} JOIN found ON found.rowid = m.id WHERE found MATCH ? AND m.indexed = 1 "
                f"AND {held} {order}",
                [match, *words, limit],
            ).fetchall()
            rows += db.execute(
                f"{select} WHERE m.indexed = 0 AND {held} {order}", [*words, limit]
            ).fetchall()
    if rows is None:
        rows = db.execute(f"{select} WHERE {held} {order}", [*words, limit]).fetchall()
    rows.sort(reverse=True)
    return [(name, number, excerpt(text, words)) for _, name, number, text in rows]


def _all(column: str, words: list[str]) -> str:
    return " AND ".join([f"holds({column}, ?)"] * len(words))


def excerpt(text: str, words: list[str]) -> str:
    """One line around the first of the words that is there."""
    line = " ".join(text.split())
    folded = line.casefold()
    places = [at for at in (folded.find(word) for word in words) if at >= 0]
    start = max(0, min(places, default=0) - _BEFORE)
    cut = line[start : start + _LENGTH]
    return ("…" if start else "") + cut + ("…" if start + _LENGTH < len(line) else "")
