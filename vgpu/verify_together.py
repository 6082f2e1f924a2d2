"""Several engines as one, that must all give the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vgpu.engines import Engine, advance
from vgpu.errors import InputError, VgpuError
from vgpu.word import Bits, WordLayout, layout


class DifferError(VgpuError):
    """Two engines gave different words for the same ones."""


@dataclass
class Chunk:
    """Words that went in, words that came out, and how many passes had been made before."""

    given: Bits
    came: Bits
    passes: int


class Together:
    """Its words are those of the first engine; DifferError names the first field that differs.

    Engines that are best with long chunks (they have a `chunk` size) are asked when a program is
    over: all its words in order, those of each pass as they came out of the one before. What comes
    out of every word must be what the others gave; then such an engine would have gone the same way
    by itself.
    """

    def __init__(self, engines: Sequence[Engine]) -> None:
        if len(engines) < 2:
            raise InputError("verify compares engines with each other: give at least two")
        if len({engine.geometry for engine in engines}) != 1:
            raise InputError("verify compares engines of one geometry")
        first, *others = engines
        self.first = first
        self.live = [engine for engine in others if not getattr(engine, "chunk", 0)]
        self.later = [engine for engine in others if getattr(engine, "chunk", 0)]
        self.geometry = first.geometry
        self.name = "+".join(engine.name for engine in engines)
        self.layout = layout(self.geometry)
        self.reset()

    def reset(self) -> None:
        self.words = self.passes = self.instructions = 0
        self.chunks: list[Chunk] = []
        for engine in (self.first, *self.live, *self.later):
            engine.reset()

    def step(self, words: Bits) -> Bits:
        expected = self.first.step(words)
        for engine in self.live:
            self._compare(engine, Chunk(words, expected, self.passes), engine.step(words))
        self._count(words, expected, bool(self.layout.field(words[:1], "exec").any()))
        return expected

    def advance(
        self, words: Bits, limit: int, alive: list[int], stop: list[int], keep: bool
    ) -> tuple[Bits, int, int, Bits]:
        """Passes as the runtime makes them: every engine by itself, in native code where it has
        any. All passes are compared; see `vgpu.engines.advance`."""
        last, count, ran, history = advance(self.first, words, limit, alive, stop, True)
        before = [words, *history[:-1]] if count else []
        for engine in self.live:
            came, its_count, its_ran, its_history = advance(engine, words, limit, alive, stop, True)
            for number, (given, right, wrong) in enumerate(
                zip(before, history, its_history, strict=False)
            ):
                self._compare(engine, Chunk(given, right, self.passes + number), wrong)
            if (count, ran) != (its_count, its_ran) or not np.array_equal(last, came):
                raise DifferError(f"{engine.name} made {its_count} passes instead of {count}")
        for given, right in zip(before, history, strict=True):
            self._count(given, right, True)
        return last, count, ran, history

    def finish(self) -> None:
        """Ask the engines that come later for all words of the program."""
        for engine in self.later:
            for chunk in self._long_chunks(getattr(engine, "chunk", 1)):
                came = engine.step(np.concatenate([c.given for c in chunk]))
                at = 0
                for part in chunk:
                    self._compare(engine, part, came[at : at + len(part.given)])
                    at += len(part.given)

    def _long_chunks(self, size: int) -> list[list[Chunk]]:
        """The chunks so far in groups of about that many words."""
        groups: list[list[Chunk]] = [[]]
        words = 0
        for chunk in self.chunks:
            if groups[-1] and words + len(chunk.given) > size:
                groups.append([])
                words = 0
            groups[-1].append(chunk)
            words += len(chunk.given)
        return groups if groups[0] else []

    def _count(self, given: Bits, came: Bits, is_pass: bool) -> None:
        self.words += len(given)
        if self.later:
            self.chunks.append(Chunk(given, came, self.passes))
        if is_pass:
            self.passes += 1
            self.instructions += int(self.layout.field(given, "run").sum())

    def _compare(self, engine: Engine, chunk: Chunk, came: Bits) -> None:
        if not np.array_equal(chunk.came, came):
            found = difference(self.layout, chunk.given, chunk.came, came)
            raise DifferError(
                f"{engine.name} differs from {self.first.name} in {found} "
                f"after {chunk.passes} passes"
            )


def difference(names: WordLayout, given: Bits, expected: Bits, came: Bits) -> str:
    """The first word that differs: which it is and what its fields were.

    `given` are the words that went in; `expected` and `came` are not equal.
    """
    if expected.shape != came.shape:
        return f"the number of words, {came.shape} instead of {expected.shape},"
    at = int(np.flatnonzero((expected != came).any(axis=1))[0])
    word, right, wrong = (names.unpack(w[at : at + 1]) for w in (given, expected, came))
    parts = [
        f"{name} {int(wrong[name][0])} instead of {int(right[name][0])}"
        for name in right
        if right[name][0] != wrong[name][0]
    ]
    kind = next((k for k in ("exec", "read", "mem", "special", "start") if word[k][0]), "load")
    where = f"lane {int(word['thread'][0])}" if kind == "exec" else f"word {at}"
    return f"{where} ({kind}, address {int(word['addr'][0])}: {', '.join(parts)})"
