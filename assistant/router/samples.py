"""Training questions as a router sees them, and which phrasings are held out."""

from __future__ import annotations

import functools
import random
import re
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import prompts
from assistant.router import corpus, symbols
from assistant.router.calls import FOLLOW, OTHER
from assistant.router.numbers import read
from assistant.router.places import Message, Place, message
from assistant.router.symbols import Symbol

_ONE_OF_TWO = 10  # so many questions, one of two
_STRESS = 4
_FRACTION = re.compile(r"\d[.,]\d")


@dataclass(frozen=True)
class Sample:
    """A question as the host reads it, and the row to be written."""

    message: Message
    row: tuple[Symbol, ...]
    family: str
    phrasing: str


def samples(each: int, seed: int, stressed: Collection[str] = ()) -> list[Sample]:
    """`each` questions from every phrasing, and for one in so many one that is two of those that
    are shown, less those whose numbers are read otherwise.

    `stressed`: files of phrasings that are asked four times as often.
    """
    rng, made = random.Random(seed), dict[tuple[str, tuple[Symbol, ...]], Sample]()

    def add(example: corpus.Example) -> None:
        read_as = message(read(example.question))
        try:
            row = tuple(symbols.write(example, read_as))
        except symbols.Misread:
            return
        if row == (OTHER,) and any(_is_fraction(place) for place in read_as.places):
            return  # read as "3 plus 12" is; what it asks for is declined when it is filled in
        phrasing = example.phrasing
        made[read_as.text, row] = Sample(read_as, row, phrasing.family, phrasing.text)

    for phrasing in corpus.phrasings():
        leans = phrasing.text.startswith(corpus.BEFORE) or phrasing.family == FOLLOW
        count = max(1, each // 3) if leans else each
        if phrasing.file in stressed:
            count *= _STRESS
        for example in corpus.generate(phrasing, count, rng):
            add(example)
    shown = [p for p in corpus.phrasings() if not held_out(p.text)]
    for pair in corpus.pairs(shown, len(made) // _ONE_OF_TWO, rng):
        add(next(corpus.generate(pair, 1, rng)))
    return list(made.values())


def _is_fraction(place: Place) -> bool:
    """A place whose text is a decimal number: the host reads it as it reads a whole one."""
    return place.kind == "number" and place.value is None and bool(_FRACTION.search(place.text))


def split(data: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """(shown, held out): whole phrasings are on one side, a follow-up with and without what it
    follows too.

    One phrasing in ten was drawn once; `prompts/held_out.txt` has their checksums. They stay held
    out when others are added, so a read-out that is trained in steps never sees them.
    """
    sides: tuple[list[Sample], list[Sample]] = ([], [])
    for sample in data:
        sides[held_out(sample.phrasing)].append(sample)
    return sides


def held_out(phrasing: str) -> bool:
    """Whether a phrasing's text is one of those that are never learned from."""
    line = corpus.FIGURE.sub("", phrasing)
    return f"{zlib.crc32(line.encode()):08x}" in _held_lines()


@functools.cache
def _held_lines() -> frozenset[str]:
    return frozenset(prompts.text("held_out.txt").split())
