"""The kernels of the library that are most like a task, by words and by parameters."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from assistant.advanced.library import Entry, library
from assistant.advanced.task import Task
from assistant.nearest_texts import NearestTexts

# A kernel of the same parameters, or that gives as much, is preferred to one whose words are a
# little nearer.
_SAME_SHAPE = 1.3
_SERIAL = 2.0
SERIAL = "serial"  # the tag of a kernel in which one thread does all
# Words that a request has whatever it asks for.
_EMPTY = frozenset(
    "a an the of in on at is are be by it its them they this that these those too and or for to "
    "from with as i me my we our you your own here there please want need tell say give gives "
    "show write program kernel cuda code run do does compute computes calculate find work out "
    "list lists number numbers value values entry entries integer integers array into where when "
    "what".split()
)
# Words for the same thing, by how they begin.
_MEANING = {
    "how many": "count", "how often": "count", "number of": "count", "tally": "count",
    "largest": "max", "biggest": "max", "greatest": "max", "highest": "max", "maximum": "max",
    "smallest": "min", "least": "min", "lowest": "min", "minimum": "min", "total": "sum",
    "add up": "sum", "average": "mean", "neighbour": "next", "adjacent": "next",
    "consecutive": "next", "difference": "gap", "distance": "gap", "earlier": "before",
    "previous": "before", "later": "after", "above": "more than", "greater": "more",
    "exceed": "more than", "below": "less than", "smaller": "less", "in order": "sort",
}  # fmt: skip
_KNOWN = re.compile("|".join(rf"\b{re.escape(words)}" for words in _MEANING))
_ENDING = re.compile(r"(?<=\w{3})(?:ies|es|s|ing|ed|e)$")


class Examples:
    """Kernels that can be shown to a host, found by the best of their wordings."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = [entry for entry in entries if entry.header]
        pairs = [(at, text) for at, e in enumerate(self.entries) for text in e.wordings]
        self._owners = [at for at, _text in pairs]
        self._wordings = NearestTexts([plain(text) for _at, text in pairs])

    def nearest(self, task: Task, *, serial: bool = False) -> list[Entry]:
        """All of them, the one most like the task first. `serial`: rather those in which one
        thread does all."""
        likeness = [0.0] * len(self.entries)
        found = self._wordings.likeness(plain(task.said))
        for owner, value in zip(self._owners, found, strict=True):
            likeness[owner] = max(likeness[owner], value)
        for at, entry in enumerate(self.entries):
            if entry.signature.shape == task.signature.shape:
                likeness[at] *= _SAME_SHAPE
            if serial and SERIAL in entry.tags:
                likeness[at] *= _SERIAL
            if task.extent and entry.extent and task.extent.single == entry.extent.single:
                likeness[at] *= _SAME_SHAPE
        order = sorted(range(len(self.entries)), key=lambda at: likeness[at], reverse=True)
        return [self.entries[at] for at in order]


def plain(text: str) -> str:
    """The telling words of a request, without their endings."""
    meant = _KNOWN.sub(lambda m: _MEANING[m[0]], text.lower())
    words = (word for word in re.findall(r"[a-z]+|[-+*/%]", meant) if word not in _EMPTY)
    return " ".join(_ENDING.sub("", word) for word in words)


@functools.cache
def examples() -> Examples:
    """Those of the library."""
    return Examples(library())
