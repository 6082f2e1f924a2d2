"""What was asked before, newest last: one JSON string a line, shared by apps that run at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

MOST = 2000  # entries that are kept
LONGEST = 100_000  # characters of an entry that are kept


class History:
    """Entries of the file and of this session; `path` None keeps none on disk.

    A file that cannot be read or written costs the history, nothing else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._entries: list[str] | None = None
        self._at: int | None = None
        self._draft = ""

    @property
    def entries(self) -> list[str]:
        """Read at the first use."""
        if self._entries is None:
            self._entries = list(self._read())[-MOST:]
        return self._entries

    def _read(self) -> Iterator[str]:
        if self._path is None:
            return
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return
        for line in lines:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, str):
                yield entry

    def add(self, text: str) -> None:
        """Another entry; one that repeats the last is not kept twice."""
        self._at = None
        if not text.strip() or (self.entries and self.entries[-1] == text):
            return
        self.entries.append(text[:LONGEST])
        del self.entries[:-MOST]
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(text[:LONGEST], ensure_ascii=False) + "\n")
        except (OSError, UnicodeEncodeError):
            self._path = None

    def back(self, draft: str) -> str | None:
        """The entry before; what was being typed is kept for `forward`."""
        if not self.entries:
            return None
        if self._at is None:
            self._at, self._draft = len(self.entries), draft
        if self._at == 0:
            return None
        self._at -= 1
        return self.entries[self._at]

    def forward(self) -> str | None:
        """The entry after, at last what was being typed."""
        if self._at is None:
            return None
        self._at += 1
        if self._at >= len(self.entries):
            self._at = None
            return self._draft
        return self.entries[self._at]

    def search(self, words: str, most: int = 50) -> list[str]:
        """Entries that hold every word, newest first, each once."""
        wanted = words.lower().split()
        found: dict[str, None] = {}
        for entry in reversed(self.entries):
            low = entry.lower()
            if all(word in low for word in wanted):
                found.setdefault(entry)
                if len(found) == most:
                    break
        return list(found)
