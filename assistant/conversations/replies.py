"""An answer that is kept while it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assistant.conversations.records import State

if TYPE_CHECKING:
    from assistant.conversations.store import Store


class Reply:
    """One answer in progress. Every `write` is on disk when it returns; exactly one of `done`,
    `cancelled` and `failed` ends it. Calls after that change nothing."""

    def __init__(self, store: Store, conversation: str, number: int, mode: str) -> None:
        self.conversation, self.number, self.mode = conversation, number, mode
        self._store = store
        self._pieces: list[str] = []
        self._ended = False

    @property
    def text(self) -> str:
        """What was written so far."""
        return "".join(self._pieces)

    def write(self, piece: str) -> None:
        if piece and not self._ended:
            self._pieces.append(piece)
            self._store.put_piece(self, len(self._pieces), piece)

    def done(self, text: str | None = None, record: Mapping[str, Any] | None = None) -> None:
        """The whole answer; `text` replaces what was written, unless it is None."""
        self._end("done", text, record)

    def cancelled(self, text: str | None = None, record: Mapping[str, Any] | None = None) -> None:
        self._end("cancelled", text, record)

    def failed(
        self,
        problem: str,
        text: str | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        """`problem` is the line that the person was shown."""
        self._end("failed", text, record, problem)

    def _end(
        self,
        state: State,
        text: str | None,
        record: Mapping[str, Any] | None,
        problem: str = "",
    ) -> None:
        if self._ended:
            return
        self._ended = True
        said = self.text if text is None else text
        self._store.end_reply(self, said, state, record, problem)
