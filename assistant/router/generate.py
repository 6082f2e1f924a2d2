"""The "generate" router: the host writes the calls itself, after a few similar examples.

The prompt holds the examples whose words are most like the message's. A grammar, made anew for each
message, allows kernel calls only, with the numbers that occur in it. [llguidance]
"""

from __future__ import annotations

import contextlib
import functools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import prompts
from assistant.hosts import constrained
from assistant.nearest_texts import NearestTexts
from assistant.reading.calibration import Calibration
from assistant.router import corpus, filling, symbols
from assistant.router.calls import (
    FOLLOW,
    LIST,
    SAME,
    VERDICTS,
    Apply,
    Constant,
    Expression,
    Name,
)  # fmt: skip
from assistant.router.numbers import read
from assistant.router.places import Message, Place, message
from assistant.router.routed import shortened
from assistant.router.symbols import Signature
from assistant.router.turns import TurnRouter, Written

NAME = "generate"
CONSTANTS = (1, 2, 3, 4, 6, 7, 8, 10, 12, 24, 52, 60, 100, 365, 1000, 1024, 3600)
# From the probability of what was written to how often it is right, fitted by
# `python -m assistant.router.calibrate` on what the two small hosts wrote. (docs/routing.md)
CALIBRATION = Calibration(0.41, -0.32)
MOST_TOKENS = 200
_MOST_CALLS = 6


@dataclass(frozen=True)
class Shot:
    """An example of the prompt: a message, its calls, and the message as the host reads it."""

    question: str
    calls: str
    text: str


class GenerateRouter(TurnRouter):
    """Routes by letting the host continue a few-shot prompt, within the grammar."""

    name = NAME
    most_characters = 4000

    def __init__(
        self, host: Any, threshold: float, shots: int = 8,
        known: Callable[[], Shots] | None = None,
    ) -> None:  # fmt: skip
        """`shots` examples stand in the prompt, of those `known`."""
        super().__init__(threshold)
        self._host, self._count, self._shots = host, shots, known or every_shot
        self._header = prompts.parsed(prompts.text("route.yaml"))["header"].strip()

    def write(self, text: str, said: Message, after: bool) -> Written:
        known = filling.signatures()
        written, confidence = constrained.write(
            self._host, self.prompt(text, said), grammar(said.places, known, after), MOST_TOKENS
        )
        confidence = CALIBRATION(confidence)
        try:
            return Written(parse(written.strip(), said.places, known), confidence)
        except ValueError as error:
            return Written((), confidence, str(error))

    def prompt(self, question: str, said: Message) -> str:
        """The header, the nearest examples (the nearest last), and the question."""
        near = self._shots().nearest(said.text, self._count)
        # No blank lines between them: two ends of a line are one token, which the grammar has not.
        shots = [f"Question: {shot.question}\nCalls: {shot.calls}" for shot in reversed(near)]
        return "\n".join([self._header, "", *shots, f"Question: {question}\nCalls:"])


# --- examples -----------------------------------------------------------------------------------


class Shots:
    """One example of each of some phrasings, the same each time."""

    def __init__(self, phrasings: Iterable[corpus.Phrasing]) -> None:
        rng = random.Random(11)
        self._pool: list[Shot] = []
        for phrasing in phrasings:
            for example in corpus.generate(phrasing, 1, rng):
                asked = message(read(example.question))
                with contextlib.suppress(symbols.Misread):
                    said = calls_of(example, asked)
                    self._pool.append(Shot(example.question, said, asked.text))
        self._texts = NearestTexts([shot.text for shot in self._pool])

    def nearest(self, text: str, count: int) -> list[Shot]:
        """The examples that share the most telling words with a text, no calls of one form
        thrice."""
        chosen: list[Shot] = []
        forms: Counter[str] = Counter()
        after = text.startswith(corpus.BEFORE)
        ranked = (self._pool[at] for at in self._texts.ranked(text))
        for shot in (s for s in ranked if s.question.startswith(corpus.BEFORE) == after):
            form = re.sub(r"[\d\[\], -]+", " ", shot.calls)
            if forms[form] < 2:
                forms[form] += 1
                chosen.append(shot)
            if len(chosen) == count:
                break
        return chosen


@functools.cache
def every_shot() -> Shots:
    return Shots(corpus.phrasings())


def calls_of(example: corpus.Example, asked: Message) -> str:
    """What a host should write for an example. Raises Misread."""
    row = symbols.write(example, asked)
    constants = [word for word in row if isinstance(word, str) and word.startswith("=")]
    answers = symbols.Grammar(filling.signatures(), constants).read(row)
    return "; ".join(_said(answer, asked.places) for answer in answers)


def _said(expression: Expression, places: Sequence[Place]) -> str:
    """A call with the numbers in it, as the host writes it."""
    if isinstance(expression, Constant):
        return str(expression.value)
    if isinstance(expression, Name):
        if expression.text in VERDICTS:
            return expression.text
        return literal(places[int(expression.text[1:])])
    inner = ", ".join(_said(arg, places) for arg in expression.args)
    return f"[{inner}]" if expression.kernel == LIST else f"{expression.kernel}({inner})"


def literal(place: Place) -> str:
    """How a place is written in a call."""
    if place.kind == "date":
        return "{}-{:02}-{:02}".format(*place.value)
    if place.kind == "time":
        return "{}:{:02}:{:02}".format(*place.value)
    if place.value is None:
        return re.sub(r"[^\w.-]", "", place.text).lower() or "0"
    return str(place.value)


# --- the grammar --------------------------------------------------------------------------------


def grammar(places: Sequence[Place], known: Mapping[str, Signature], before: bool = False) -> str:
    """A grammar (Lark, as llguidance takes it) of the calls over the places of one message.

    `before`: the message begins with an earlier figure, and the call that gave it may be repeated.
    """
    rules: dict[str, list[str]] = {kind: [] for kind in ("int", "list", "matrix")}
    for name, signature in known.items():
        args = ' ", " '.join(f"{kind}" for kind in signature.args)
        rules[signature.result].append(f'"{name}(" {args} ")"')
    follow = f' | "{FOLLOW}"'
    text = [
        f'start: " " (calls | "none" | "other"{"" if before else follow}) "\\n"',
        f'calls: call ("; " call){{0,{_MOST_CALLS - 1}}}',
        f"call: int_call | list_call | matrix_call{' | same' if before else ''}",
    ]
    for kind, ways in rules.items():
        text.append(f"{kind}_call: " + " | ".join(ways))
    texts = {kind: _texts(places, kind) for kind in ("number", "list", "matrix", "date", "time")}
    constants = [str(c) for c in CONSTANTS]
    text.append("int: int_call | " + _choice([*texts["number"], *constants]))
    listed = f" | {_choice(texts['list'])}" if texts["list"] else ""
    text.append(f'list: list_call | "[" int (", " int)* "]"{listed}')
    matrices = f" | {_choice(texts['matrix'])}" if texts["matrix"] else ""
    text.append(f"matrix: matrix_call{matrices}")
    if before:
        any_place = _choice(literal(place) for place in places)
        text.append(f'same: "{SAME}(" place (", " place)* ")"\nplace: {any_place}')
    codes = [place.text.lower() for place in places if place.kind in ("code", "number")]
    for kind, ways in (("digits", codes), ("date", texts["date"]), ("time", texts["time"])):
        text.append(f"{kind}: {_choice(ways) if ways else NEVER}")
    return "\n".join(text)


NEVER = "/[^\\s\\S]/"  # nothing matches it: a message without dates has no date to call with


def _texts(places: Sequence[Place], kind: str) -> list[str]:
    return [literal(place) for place in places if place.kind == kind]


def _choice(texts: Iterable[str]) -> str:
    quoted = (text.replace("\\", "").replace('"', "") for text in dict.fromkeys(texts))
    return " | ".join(f'"{text}"' for text in quoted)


def parse(
    text: str, places: Sequence[Place], known: Mapping[str, Signature]
) -> tuple[Expression, ...]:
    """The calls that a host has written. Raises ValueError when it was cut off."""
    if text in VERDICTS:
        return (Name(text),)
    return tuple(_Parser(part, places, known).whole() for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    yield from text.split("; ")


class _Parser:
    """Reads one call; literals become the first place of their kind that is written so."""

    def __init__(self, text: str, places: Sequence[Place], known: Mapping[str, Signature]) -> None:
        self.text, self.at, self.places, self.known = text, 0, places, known

    def whole(self) -> Expression:
        expression = self._call()
        if expression is None or self.at != len(self.text):
            raise ValueError(f"the host wrote no whole call: {shortened(self.text)}")
        return expression

    def _call(self) -> Apply | None:
        match = re.compile(r"([a-z]\w*)\(").match(self.text, self.at)
        if match is not None and match[1] == SAME:
            return self._same(match.end())
        if match is None or match[1] not in self.known:
            return None
        self.at = match.end()
        args = []
        for number, kind in enumerate(self.known[match[1]].args):
            args.append(self._argument(kind))
            self._expect(", " if number + 1 < len(self.known[match[1]].args) else ")")
        return Apply(match[1], tuple(args))

    def _same(self, at: int) -> Apply:
        """`same(...)`: places of any kind."""
        self.at = at
        args = [self._placed(None)]
        while self.text.startswith(", ", self.at):
            self.at += 2
            args.append(self._placed(None))
        self._expect(")")
        if None in args:
            raise ValueError(f"the host wrote no whole call: {shortened(self.text)}")
        return Apply(SAME, tuple(a for a in args if a is not None))

    def _expect(self, mark: str) -> None:
        if not self.text.startswith(mark, self.at):
            raise ValueError(f"the host wrote no whole call: {shortened(self.text)}")
        self.at += len(mark)

    def _argument(self, kind: str) -> Expression:
        if (call := self._call()) is not None:
            return call
        if (place := self._placed(kind)) is not None:
            return place
        if kind == "list":
            return self._loose()
        match = re.compile(r"\d+").match(self.text, self.at)
        if match is None:
            raise ValueError(f"the host wrote no whole call: {shortened(self.text)}")
        self.at = match.end()
        return Constant(int(match[0]))

    def _placed(self, kind: str | None) -> Name | None:
        """The place whose text comes next, of a kind or of any."""
        kinds = {"int": ("number",), "digits": ("code", "number")}.get(kind or "", (kind,))
        written = [
            (place.text.lower() if kind == "digits" else literal(place), index)
            for index, place in enumerate(self.places)
            if kind is None or place.kind in kinds
        ]
        for text, index in sorted(written, key=lambda pair: -len(pair[0])):
            after = self.text[self.at + len(text) : self.at + len(text) + 1]
            if self.text.startswith(text, self.at) and after in ("", ",", ")", "]"):
                self.at += len(text)
                return Name(f"@{index}")
        return None

    def _loose(self) -> Expression:
        self._expect("[")
        items = [self._argument("int")]
        while self.text.startswith(", ", self.at):
            self.at += 2
            items.append(self._argument("int"))
        self._expect("]")
        return Apply(LIST, tuple(items))
