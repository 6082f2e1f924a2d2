"""The names that a kernel may declare. A small set, so that a host cannot lose itself in naming."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST = 52  # names of all kinds: the grammar has a bit for each, and needs some for itself
_LOCALS = (
    "i", "j", "k", "x", "y", "sum", "count", "best", "d", "r", "c", "s", "t", "v", "rest", "found",
    "result", "length", "low", "high", "total", "value", "digit", "tmp", "left", "right", "last",
    "next", "first", "key",
)  # fmt: skip
_SHARED = ("total", "count", "best")
_ARRAYS = ("sorted", "counts", "seen", "work")
_SIZES = (8, 10, 16, 26, 32, 64, 128, 256)
_DECLARATION = re.compile(
    r"(?P<shared>__shared__\s+)?\b(?:int|long long|unsigned)\s+(?P<list>[^;{}]+);"
)
_DECLARED = re.compile(r"([a-z_]\w*)\s*(\[\s*(\d+)\s*\])?")


@dataclass(frozen=True)
class Names:
    """`pairs` are (kind, name): local and shared hold one number, array several. `sizes` are those
    that an array may have."""

    pairs: tuple[tuple[str, str], ...]
    sizes: tuple[int, ...] = _SIZES

    def without(self, taken: Iterable[str]) -> Names:
        gone = set(taken)
        return Names(tuple(p for p in self.pairs if p[1] not in gone), self.sizes)


def names_for(sources: Iterable[str]) -> Names:
    """The usual names, after those that the kernels in `sources` declare (examples that a host may
    follow)."""
    pairs: dict[tuple[str, str], None] = {}
    sizes: set[int] = set(_SIZES)
    for source in sources:
        body = source[source.find("{") + 1 :]
        for declaration in _DECLARATION.finditer(body):
            for name, array, size in _declared(declaration["list"]):
                kind = "array" if array else "shared" if declaration["shared"] else "local"
                pairs[kind, name] = None
                if size:
                    sizes.add(int(size))
    # Places for the usual arrays are kept: a kernel that sorts cannot do without one.
    usual = [
        *(("local", n) for n in _LOCALS[:8]), *(("array", n) for n in _ARRAYS),
        *(("shared", n) for n in _SHARED), *(("local", n) for n in _LOCALS[8:]),
    ]  # fmt: skip
    for pair in usual:
        pairs.setdefault(pair)
    return Names(tuple(pairs)[:MOST], tuple(sorted(sizes)))


def _declared(text: str) -> Iterator[tuple[str, str, str]]:
    """(name, brackets, size) of each variable of `x = f(a, b), y[3], z`."""
    while (flat := re.sub(r"\([^()]*\)", "", text)) != text:
        text = flat
    for part in text.split(","):
        if found := _DECLARED.match(part.strip()):
            yield found[1], found[2] or "", found[3] or ""
