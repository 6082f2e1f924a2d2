"""Data that suit a task: lists of numbers, and constants near them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.advanced.lessons.filling import Filled, Key

SCALES = (9, 20, 50, 100, 100, 300, 1000, 10_000)
# What `values` says of the range of the numbers; the narrowest holds.
_RANGES = {
    "digits": (0, 9), "die": (1, 6), "percent": (0, 99), "close": (1, 12), "short": (0, 12),
    "few": (-9, 9), "small": (-2, 3),
}  # fmt: skip
_LEAST = {"windows": 9, "two": 2}
_MOST = {"brief": 9, "small": 9}
_POWERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Domain:
    """What the numbers of a list are: from `low` to `high`, with what `tags` say."""

    low: int
    high: int
    tags: frozenset[str]

    def lists(self, count: int, rng: random.Random, length: int = 0) -> list[list[int]]:
        """`count` lists of the same length."""
        shortest = max((_LEAST[t] for t in self.tags if t in _LEAST), default=1)
        longest = min((_MOST[t] for t in self.tags if t in _MOST), default=32)
        length = length or rng.choice((5, 6, 7, 8, 9, 10, 11, 12, 12, 13, 14, 16))
        length = min(max(length, shortest), longest)
        found = [[self._value(rng) for _ in range(length)] for _ in range(count)]
        if count > 1:  # lists that are compared have something in common
            for i in range(length):
                if rng.random() < 0.25:
                    found[1][i] = found[0][rng.choice((i, rng.randrange(length)))]
        elif count and rng.random() < 0.3:
            for i in range(1, length):
                if rng.random() < 0.2:
                    found[0][i] = found[0][i - 1]
        return found

    def _value(self, rng: random.Random) -> int:
        if "zeros" in self.tags and rng.random() < 0.3:
            return 0
        if "powers" in self.tags and rng.random() < 0.4:
            return rng.choice([p for p in _POWERS if p <= self.high] or [1])
        return rng.randint(self.low, self.high)


def domain(filled: Filled, rng: random.Random) -> Domain | None:
    """A range that suits all pieces; None when what they ask contradicts itself."""
    tags = set(filled.pattern.values).union(*(part.values for part in filled.parts))
    limits = [limit for limit in (filled.pattern.most, *(p.most for p in filled.parts)) if limit]
    if "signed" in tags and tags & {"nonneg", "positive", "percent", "digits", "die", "close"}:
        return None
    scale = rng.choice((3, 4, 6, 9) if "repeats" in tags else SCALES)
    if filled.pattern.lists == 0:
        scale = 60 if "upto" in filled.pattern.consts.values() else 500
    scale = min([scale, *limits])
    low = -scale if "signed" in tags or rng.random() < 0.4 else 0
    high = scale
    for tag, (least, greatest) in _RANGES.items():
        if tag in tags:
            low, high = max(low, least) if low < 0 else least, min(high, greatest)
            low = least if tag in ("small", "few") else low
    if tags & {"nonneg", "percent", "digits", "short"} or "powers" in tags:
        low = max(low, 0)
    if "positive" in tags:
        low = max(low, 1)
    if low >= high or (tags & {"digits", "die"} and limits and min(limits) < high):
        return None
    return Domain(low, high, frozenset(tags))


def constants(
    filled: Filled, known: Domain, lists: Sequence[Sequence[int]], rng: random.Random
) -> dict[Key, int]:
    """A value for each constant, near the data. Those of one lesson differ from each other where
    a text could not tell them apart."""
    values = [value for one in lists for value in one]
    pool = values or list(range(max(known.low, 1), min(known.high, 60) + 1))
    found: dict[Key, int] = {}
    for key, kind in filled.consts.items():
        for _ in range(30):
            value = _constant(kind, known, pool, found, key, rng)
            if kind == "none" or value not in found.values():
                break
        found[key] = value
    for slot, name in list(found):
        high = (slot, name.replace("l", "h"))
        if filled.consts[slot, name] == "low" and found[slot, name] > found[high]:
            found[slot, name], found[high] = found[high], found[slot, name]
    return found


_EVEN = {  # kinds whose values are as likely as each other
    "divisor": range(3, 13), "modulus": range(3, 13), "digit": range(10), "few": range(2, 6),
    "step": range(2, 6), "factor": range(2, 10), "addend": range(2, 21), "digits": range(4, 16),
    "window": range(2, 8), "least": range(1, 4), "base": (2, 3, 4, 5, 6, 7, 8, 9, 12, 16),
    "percentage": range(3, 21), "band": (10, 12, 15, 16, 20, 25), "none": (0, -1),
    "dividend": (12, 24, 30, 36, 48, 60, 72, 100, 120), "upto": range(10, 61),
    "other": range(3, 61),
}  # fmt: skip


def _constant(
    kind: str, known: Domain, pool: Sequence[int], found: Mapping[Key, int], key: Key,
    rng: random.Random,
) -> int:  # fmt: skip
    if kind in _EVEN:
        return rng.choice(_EVEN[kind])
    one, other = rng.choice(pool), rng.choice(pool)
    if kind == "remainder":
        modulus = found[key[0], "k" * len(key[1])]
        return rng.randrange(1, modulus)
    if kind == "exact":
        return one
    if kind == "sum":
        return one + other
    if kind == "product":
        return one * other
    if kind == "gap":
        return max(1, abs(one - other) // rng.choice((1, 2, 3)))
    if kind == "total":
        return max(2, abs(sum(pool)) // rng.choice((2, 3)) + rng.randint(0, 5))
    if kind == "capacity":
        return max(pool) + rng.randint(0, max(pool) + 5)
    if kind == "whole":
        return rng.randint(max(5, known.low), max(6, known.high))
    if kind == "long":
        return rng.randrange(1000, 10 ** rng.randint(4, 9))
    if kind not in ("limit", "low", "high"):
        raise ValueError(f"no kind of constant: {kind}")
    value = rng.randint(known.low, known.high)
    if known.high >= 30 and rng.random() < 0.7:
        value = round(value, -1) if known.high <= 300 else round(value, -2)
    return value or 1
