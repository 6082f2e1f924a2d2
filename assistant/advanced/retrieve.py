"""The kernels of the library that are most like a task, by words and by parameters."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from assistant.advanced.library import Entry, library
from assistant.advanced.task import Task
from assistant.nearest_texts import NearestTexts

# A kernel of the same parameters is preferred to one whose words are a little nearer.
_SAME_SHAPE = 1.3


class Examples:
    """Kernels that can be shown to a host, found by the best of their wordings."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = [entry for entry in entries if entry.header]
        pairs = [(at, text) for at, e in enumerate(self.entries) for text in e.wordings]
        self._owners = [at for at, _text in pairs]
        self._wordings = NearestTexts([text for _at, text in pairs])

    def nearest(self, task: Task) -> list[Entry]:
        """All of them, the one most like the task first."""
        likeness = [0.0] * len(self.entries)
        found = self._wordings.likeness(task.said)
        for owner, value in zip(self._owners, found, strict=True):
            likeness[owner] = max(likeness[owner], value)
        for at, entry in enumerate(self.entries):
            if entry.signature.shape == task.signature.shape:
                likeness[at] *= _SAME_SHAPE
        order = sorted(range(len(self.entries)), key=lambda at: likeness[at], reverse=True)
        return [self.entries[at] for at in order]


@functools.cache
def examples() -> Examples:
    """Those of the library."""
    return Examples(library())
