"""Training questions as a router sees them, and which phrasings are held out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.router import corpus, symbols
from assistant.router.calls import FOLLOW
from assistant.router.numbers import read
from assistant.router.places import Message, message
from assistant.router.symbols import Symbol

HELD_OUT = 10  # one phrasing in so many


@dataclass(frozen=True)
class Sample:
    """A question as the host reads it, and the row to be written."""

    message: Message
    row: tuple[Symbol, ...]
    family: str
    phrasing: str


def samples(each: int, seed: int) -> list[Sample]:
    """`each` questions from every phrasing, less those whose numbers are read otherwise."""
    rng, made = random.Random(seed), {}
    for phrasing in corpus.phrasings():
        leans = phrasing.text.startswith(corpus.BEFORE) or phrasing.family == FOLLOW
        for example in corpus.generate(phrasing, max(1, each // 3) if leans else each, rng):
            read_as = message(read(example.question))
            try:
                row = tuple(symbols.write(example, read_as))
            except symbols.Misread:
                continue
            made[read_as.text, row] = Sample(read_as, row, phrasing.family, phrasing.text)
    return list(made.values())


def split(data: Sequence[Sample], seed: int) -> tuple[list[Sample], list[Sample]]:
    """(shown, held out): whole phrasings are on one side, a follow-up with and without what it
    follows too."""
    phrasings = sorted({_line(s) for s in data})
    random.Random(seed).shuffle(phrasings)
    held = set(phrasings[::HELD_OUT])
    shown = [s for s in data if _line(s) not in held]
    return shown, [s for s in data if _line(s) in held]


def _line(sample: Sample) -> str:
    return corpus.FIGURE.sub("", sample.phrasing)
