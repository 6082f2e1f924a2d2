"""Number words: "forty-two", "two hundred and fifty", "a dozen", "minus five".

Only notation is read here (a word stands for a value); "four dozen" stays two numbers, because
multiplying them is the machine's work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ATOMS = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_ORDINALS = {
    "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12,
} | {  # fmt: skip
    f"{word}th": value for word, value in ATOMS.items() if word[-1] != "y" and value not in
    (0, 1, 2, 3, 5, 8, 9, 12)
} | {f"{word[:-1]}ieth": ATOMS[word] for word in _TENS}  # fmt: skip
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
DOZEN = 12
# Before "one", these make it a pronoun; so does a following "of".
_POINTERS = {"which", "that", "this", "the", "each", "every", "no", "any", "another", "only", "a"}
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class Spoken:
    """A number in words: its value and where it stands in the text."""

    value: int
    start: int
    end: int
    ordinal: bool = False


class _Reader:
    """A cursor over the words of a text; two words belong together across a space or a hyphen."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = [(m[0].lower(), m.start(), m.end()) for m in _WORD.finditer(text)]

    def word(self, index: int) -> str:
        return self.words[index][0] if 0 <= index < len(self.words) else ""

    def joined(self, index: int) -> bool:
        """Whether word `index` follows the word before it in the same number."""
        if not 0 < index < len(self.words):
            return False
        gap = self.text[self.words[index - 1][2] : self.words[index][1]]
        return gap.strip() in ("", "-") and len(gap) <= 2

    def below_hundred(self, index: int) -> tuple[int, int] | None:
        """Value and next index of "seven", "nineteen", "forty" or "forty-two" at `index`."""
        word = self.word(index)
        if word not in ATOMS:
            return None
        tail = self.word(index + 1)
        if word in _TENS and self.joined(index + 1) and 0 < ATOMS.get(tail, 0) < 10:
            return ATOMS[word] + ATOMS[tail], index + 2
        return ATOMS[word], index + 1

    def number(self, index: int) -> tuple[int, int] | None:
        """Value and next index of the longest number at `index`."""
        head = self.word(index)
        article = head == "a" and self.word(index + 1) in SCALES and self.joined(index + 1)
        first = (1, index + 1) if article else self.below_hundred(index)
        if first is None:
            return None
        total, (group, at) = 0, first
        ceiling = None
        while self.word(at) in SCALES and self.joined(at):
            scale = SCALES[self.word(at)]
            if scale == 100:
                group *= 100
            elif ceiling is None or scale < ceiling:
                total, group, ceiling = total + group * scale, 0, scale
            else:
                break
            at += 1
            more = self._continuation(at, after=scale)
            if more:
                group, at = group + more[0], more[1]
        return total + group, at

    def _continuation(self, at: int, after: int) -> tuple[int, int] | None:
        """What may follow a scale word: "fifty", "and fifty" (but not "and three hundred")."""
        if self.word(at) != "and":
            return self.below_hundred(at) if self.joined(at) else None
        tail = self.below_hundred(at + 1) if self.joined(at) and self.joined(at + 1) else None
        if tail is None:
            return None
        follows = SCALES.get(self.word(tail[1]), 0) if self.joined(tail[1]) else 0
        return tail if follows == 0 or after == 100 < follows else None


def spoken(text: str) -> Iterator[Spoken]:
    """The numbers written in words in `text`, left to right; ordinals from "fourth" up."""
    reader = _Reader(text)
    index = 0
    while index < len(reader.words):
        word, start, end = reader.words[index]
        if word == "dozen":
            half = reader.word(index - 2) == "half" and reader.word(index - 1) == "a"
            begin = reader.words[index - 2][1] if half else start
            if not half and reader.word(index - 1) == "a":
                begin = reader.words[index - 1][1]
            yield Spoken(DOZEN // 2 if half else DOZEN, begin, end)
            index += 1
        elif word in _ORDINALS:
            yield Spoken(_ORDINALS[word], start, end, ordinal=True)
            index += 1
        elif (read := reader.number(index)) and not _pronoun(reader, index, read[1]):
            yield Spoken(read[0], start, reader.words[read[1] - 1][2])
            index = read[1]
        else:
            index += 1


def _pronoun(reader: _Reader, index: int, after: int) -> bool:
    alone = after == index + 1 and reader.word(index) == "one"
    return alone and (reader.word(index - 1) in _POINTERS or reader.word(index + 1) == "of")
