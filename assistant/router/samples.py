"""Training questions as a router sees them, and which phrasings are held out."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import prompts
from assistant.router import corpus, symbols
from assistant.router.calls import FOLLOW
from assistant.router.numbers import read
from assistant.router.places import Message, message
from assistant.router.symbols import Symbol


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


def split(data: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """(shown, held out): whole phrasings are on one side, a follow-up with and without what it
    follows too.

    One phrasing in ten was drawn once; `prompts/held_out.txt` has their checksums. They stay held
    out when others are added, so a read-out that is trained in steps never sees them.
    """
    held = set(prompts.text("held_out.txt").split())
    sides: tuple[list[Sample], list[Sample]] = ([], [])
    for sample in data:
        sides[f"{zlib.crc32(_line(sample).encode()):08x}" in held].append(sample)
    return sides


def _line(sample: Sample) -> str:
    return corpus.FIGURE.sub("", sample.phrasing)
