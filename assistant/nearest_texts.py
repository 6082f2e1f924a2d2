"""Texts ranked by the telling words and pairs of words that they share with another (tf-idf)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[^\W\d_]+|[%^*/+=!-]")


class NearestTexts:
    """Some texts, each as a vector of length 1, and how rare each of their words is."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._vectors = [weights(text) for text in texts]
        seen = Counter(word for vector in self._vectors for word in vector)
        self._rarity = {word: math.log(len(texts) / count) for word, count in seen.items()}

    def likeness(self, text: str) -> list[float]:
        """How like `text` each of the texts is; 0 when they share no telling word."""
        own = {w: value * self._rarity.get(w, 0.0) ** 2 for w, value in weights(text).items()}
        return [
            sum(value * vector.get(word, 0.0) for word, value in own.items())
            for vector in self._vectors
        ]

    def ranked(self, text: str) -> list[int]:
        """Places in the list, the text most like `text` first; equals in the order of the list."""
        found = self.likeness(text)
        return sorted(range(len(found)), key=lambda at: found[at], reverse=True)


def weights(text: str) -> dict[str, float]:
    """Words and pairs of words with their counts, as a vector of length 1."""
    words = ["<", *(w.lower() for w in _WORD.findall(text)), ">"]
    counts = Counter([*words[1:-1], *map(" ".join, zip(words, words[1:], strict=False))])
    length = math.sqrt(sum(count * count for count in counts.values())) or 1.0
    return {word: count / length for word, count in counts.items()}
