"""The store: every method is one short transaction, from any thread.

When the file fails in the middle, what it held goes on in memory (or, if it was damaged, in a new
file) and a notice says so: callers need no error handling. Only names that do not exist raise.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from assistant.conversations import files, merge, schema, search, writers, writing
from assistant.conversations.problems import StorageProblem, cause_of, problem_of
from assistant.conversations.records import Conversation, Found, Message, Role, State
from assistant.conversations.replies import Reply
from assistant.conversations.rows import CONVERSATIONS, conversation_of, message_of, text_of
from assistant.nearest import did_you_mean
from vgpu.errors import InputError

T = TypeVar("T")
_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"  # none that is read as another
_ID: Final = 6


class Store:
    """Made by `open_store`."""

    def __init__(
        self,
        database: sqlite3.Connection,
        path: Path,
        *,
        saved: bool = True,
        notices: Sequence[StorageProblem] = (),
    ) -> None:
        self.path = path
        self._db = database
        self._lock = threading.RLock()
        self._saved = saved
        self._notices = list(notices)
        self._started: dict[str, Conversation] = {}
        self._unsaved: set[str] = set()
        self._deleted: set[str] = set()  # by this store: nothing that is still on its way brings
        # them back
        self._mend_interrupted()

    # ---- the file ----
    @property
    def saved(self) -> bool:
        """Whether what is written goes to the file; otherwise memory alone holds it."""
        return self._saved

    def take_notices(self) -> list[StorageProblem]:
        """The notices since the last call: ask after the store was opened and after each turn."""
        with self._lock:
            notices, self._notices = self._notices, []
        return notices

    def save_again(self) -> bool:
        """Tries to bring what memory alone holds into the file. True when it is there."""
        with self._lock:
            if self._saved:
                return True
            database: sqlite3.Connection | None = None
            try:
                database, notice = files.open_file(self.path)
                merge.copy(self._db, database, sorted(self._unsaved))
            except (StorageProblem, sqlite3.Error):
                if database is not None:
                    database.close()
                return False
            self._db.close()
            self._db, self._saved = database, True
            self._unsaved.clear()
            self._notices += [notice] if notice else []
            return True

    def close(self) -> None:
        with self._lock, contextlib.suppress(sqlite3.Error):
            self._db.close()

    # ---- writing ----
    def start(self, *, title: str = "", host: str = "", mode: str = "") -> Conversation:
        """A new conversation. It is in the file, and in lists, from its first message on."""
        now = time.time()
        with self._lock:
            while self._is_taken(name := "".join(secrets.choice(_LETTERS) for _ in range(_ID))):
                pass
            self._started[name] = Conversation(name, title, now, now, host, mode, 0, bool(title))
            return self._started[name]

    def say(self, conversation: str, text: str, *, mode: str = "") -> Message:
        """Adds what the person said. The first message gives the conversation its title."""
        return self.add(conversation, "user", text, mode=mode)

    def add(
        self,
        conversation: str,
        role: Role,
        text: str,
        *,
        mode: str = "",
        state: State = "done",
        record: Mapping[str, Any] | None = None,
        problem: str = "",
    ) -> Message:
        """Adds a whole message at the end."""
        text = writing.storable(text)
        with self._lock:
            if not self._saved and not self._notices:  # the person knows; it may be better now
                self.save_again()
            number = self._write(
                conversation,
                lambda db: writing.insert(
                    db, self._begun(conversation, mode), role, text, mode, state, record, problem
                ),
            )
        return Message(conversation, number, role, text, time.time(), mode, state, record, problem)

    def reply(self, conversation: str, *, mode: str = "") -> Reply:
        """Begins an answer that is written piece by piece."""
        number = self._write(
            conversation,
            lambda db: writing.insert(
                db, self._begun(conversation, mode), "assistant", "", mode, "streaming"
            ),
        )
        return Reply(self, conversation, number, mode)

    def put_piece(self, reply: Reply, at: int, piece: str) -> None:
        """For `Reply.write`."""

        def work(db: sqlite3.Connection) -> None:
            if not writing.add_piece(db, reply.conversation, reply.number, at, piece):
                self._insert_again(db, reply)

        self._write(reply.conversation, work)

    def end_reply(
        self,
        reply: Reply,
        text: str,
        state: State,
        record: Mapping[str, Any] | None,
        problem: str,
    ) -> None:
        """For `Reply.done` and its sisters."""

        def work(db: sqlite3.Connection) -> None:
            if writing.id_of(db, reply.conversation, reply.number) is None:
                self._insert_again(db, reply)
            writing.end(db, reply.conversation, reply.number, text, state, record, problem)

        self._write(reply.conversation, work)

    def keep_trace(self, conversation: str, number: int, name: str, data: bytes) -> None:
        """Keeps the trace of a run (JSON lines, as `assistant run --trace` writes) with a message.
        Raises InputError when there is no such message."""
        packed = zlib.compress(data)

        def work(db: sqlite3.Connection) -> None:
            message = writing.id_of(db, conversation, number)
            if message is None:
                raise InputError(f"conversation {conversation} has no message {number}")
            db.execute("INSERT OR REPLACE INTO traces VALUES (?, ?, ?)", (message, name, packed))

        self._write(conversation, work)

    def rename(self, conversation: str, title: str) -> Conversation:
        """Raises InputError on an empty title or an unknown conversation."""
        title = " ".join(writing.storable(title).split())
        if not title:
            raise InputError("a conversation needs a title: /rename TITLE")
        with self._lock:
            if conversation in self._started:
                begun = replace(self._started[conversation], title=title, named=True)
                self._started[conversation] = begun
            self._write(
                conversation,
                lambda db: db.execute(
                    "UPDATE conversations SET title = ?, named = 1 WHERE id = ?",
                    (title, conversation),
                ),
            )
            return self.get(conversation)

    def delete(self, conversation: str) -> None:
        """Deletes it, its messages and traces. Raises InputError when there is none."""
        self.get(conversation)

        def work(db: sqlite3.Connection) -> None:
            search.forget(db, conversation)
            db.execute("DELETE FROM conversations WHERE id = ?", (conversation,))

        self._write(conversation, work)
        with self._lock:
            self._started.pop(conversation, None)
            self._deleted.add(conversation)

    # ---- reading ----
    def conversations(self, limit: int | None = None) -> list[Conversation]:
        """The latest first."""
        rows = self._read(
            lambda db: db.execute(
                f"{CONVERSATIONS} ORDER BY updated DESC, id LIMIT ?",
                (-1 if limit is None else limit,),
            ).fetchall()
        )
        return [conversation_of(row) for row in rows]

    def latest(self) -> Conversation | None:
        return next(iter(self.conversations(1)), None)

    def get(self, conversation: str) -> Conversation:
        """By its whole id. Raises InputError when there is none."""
        row = self._read(
            lambda db: db.execute(f"{CONVERSATIONS} WHERE c.id = ?", (conversation,)).fetchone()
        )
        if row is None and conversation in self._started:
            return self._started[conversation]
        if row is None:
            known = [c.id for c in self.conversations(20)]
            raise InputError(f'no conversation "{conversation}"{did_you_mean(conversation, known)}')
        return conversation_of(row)

    def find(self, words: str) -> Conversation:
        """By id, the beginning of an id, the title or the beginning of a title, whatever the case.
        Raises InputError when none or several fit."""
        from assistant.conversations.naming import choose

        return choose(self.conversations(), words)

    def messages(self, conversation: str) -> list[Message]:
        """In order; an answer that is being written as far as it has come."""

        def work(db: sqlite3.Connection) -> list[Message]:
            rows = db.execute(
                "SELECT id, conversation, number, role, text, created, mode, state, record, "
                "problem, writer FROM messages WHERE conversation = ? ORDER BY number",
                (conversation,),
            ).fetchall()
            return [message_of(db, row) for row in rows]

        return self._read(work)

    def trace(self, conversation: str, number: int, name: str) -> bytes:
        """The JSON lines that `keep_trace` was given. Raises InputError when there are none."""
        row = self._read(
            lambda db: db.execute(
                "SELECT data FROM traces JOIN messages ON messages.id = message "
                "WHERE conversation = ? AND messages.number = ? AND name = ?",
                (conversation, number, name),
            ).fetchone()
        )
        if row is None:
            raise InputError(f'message {number} of {conversation} has no trace "{name}"')
        return zlib.decompress(row[0])

    def search(self, query: str, limit: int = 20) -> list[Found]:
        """Messages and titles that hold every word of `query`, the latest first; parts of words
        count. With FTS5 by its index, else by LIKE."""
        if self._saved:
            with contextlib.suppress(sqlite3.Error), self._lock:
                schema.transaction(self._db, search.update)
        found = self._read(lambda db: search.search(db, query, limit))
        return [Found(self.get(name), number, excerpt) for name, number, excerpt in found]

    def has_index(self) -> bool:
        """Whether this SQLite searches by FTS5."""
        return self._read(search.has_index)

    # ---- within ----
    def _is_taken(self, conversation: str) -> bool:
        found = self._read(
            lambda db: db.execute(
                "SELECT 1 FROM conversations WHERE id = ?", (conversation,)
            ).fetchone()
        )
        return found is not None or conversation in self._started

    def _begun(self, conversation: str, mode: str) -> Conversation:
        """What its row says when it has none yet: it is new, or was deleted elsewhere."""
        now = time.time()
        known = self._started.get(conversation)
        return known or Conversation(conversation, "", now, now, "", mode)

    def _insert_again(self, db: sqlite3.Connection, reply: Reply) -> None:
        """The file was replaced, or the conversation deleted elsewhere: what is being written is
        kept, under the next free number."""
        begun = self._begun(reply.conversation, reply.mode)
        reply.number = writing.insert(db, begun, "assistant", reply.text, reply.mode, "streaming")

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                return work(self._db)
            except sqlite3.DatabaseError as error:
                self._go_on_elsewhere(error)
                return work(self._db)

    def _write(self, conversation: str, work: Callable[[sqlite3.Connection], T]) -> T:
        """Raises InputError when the conversation was deleted here."""
        with self._lock:
            if conversation in self._deleted:
                raise InputError(f"conversation {conversation} was deleted")
            try:
                result = schema.transaction(self._db, work)
            except sqlite3.DatabaseError as error:
                self._go_on_elsewhere(error)
                result = schema.transaction(self._db, work)
            if not self._saved:
                self._unsaved.add(conversation)
            return result

    def _go_on_elsewhere(self, error: sqlite3.DatabaseError) -> None:
        """A new file for a damaged one, memory for any other that fails."""
        programming = isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError)
        if not self._saved or programming:
            raise error
        failing = self._db
        try:
            if cause_of(error) != "damaged":
                raise problem_of(error, self.path)
            failing.close()
            self._db, notice = files.replace_damaged(self.path)
        except StorageProblem as problem:
            notice = problem
            self._db, self._saved = files.readable_copy(self.path), False
        with contextlib.suppress(sqlite3.Error):
            failing.close()
        self._notices += [notice] if notice else []

    def _mend_interrupted(self) -> None:
        """Answers whose program ended in the middle are as long as they got."""

        def work(db: sqlite3.Connection) -> None:
            for message, conversation, writer in db.execute(
                "SELECT id, conversation, writer FROM messages WHERE state = 'streaming'"
            ).fetchall():
                if not writers.is_alive(writer):
                    db.execute(
                        "UPDATE messages SET text = ?, state = 'interrupted', writer = '' "
                        "WHERE id = ?",
                        (text_of(db, message), message),
                    )
                    db.execute("DELETE FROM pieces WHERE message = ?", (message,))
                    if not self._saved:
                        self._unsaved.add(conversation)

        if self._read(
            lambda db: db.execute("SELECT 1 FROM messages WHERE state = 'streaming'").fetchone()
        ):
            self._write("", work)
