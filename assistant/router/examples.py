"""Generated training questions: the phrasings of prompts/phrasings.yaml with random numbers.

The same seed gives the same questions. No question of an evaluation set is used.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import yaml

import prompts
from assistant.router.patterns import Pattern

_CHOICE = re.compile(r"\[([^\[\]{}]*(?:\{[a-z]+\}[^\[\]{}]*)*)\]")
_WORD = re.compile(r"<(\w+)>")
_SLOT = re.compile(r"\{(\w+)\}")
_CALL = re.compile(r"\w\(\{")
_OPENERS = ["please ", "hey, ", "ok, ", "hi! ", "quick question: ", "so, ", "hello, ", "and "]
_CLOSERS = [" please", " thanks", ", please", ", thank you", " for me", "?", "??", ".", "!"]
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve".split()


@dataclass(frozen=True)
class Example:
    """A question, its call pattern, and the phrasing that it was made from."""

    question: str
    pattern: str
    phrasing: str


@functools.cache
def _data() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    content = yaml.safe_load(prompts.text("phrasings.yaml"))
    words = {name: [str(w) for w in options] for name, options in content["words"].items()}
    patterns = {p["call"]: p["say"].strip().splitlines() for p in content["patterns"]}
    return words, patterns


def patterns() -> list[Pattern]:
    """Every call pattern, in the order of the file."""
    return [Pattern.parse(text) for text in _data()[1]]


def generate(per_pattern: int, seed: int) -> list[Example]:
    """At least `per_pattern` questions for each pattern; every phrasing occurs at least once."""
    rng = random.Random(seed)
    words, by_pattern = _data()
    examples: dict[str, Example] = {}
    for pattern, phrasings in by_pattern.items():
        rounds = max(1, -(-per_pattern // len(phrasings)))
        for phrasing in phrasings * rounds:
            question = _question(phrasing, words, rng)
            examples.setdefault(question, Example(question, pattern, phrasing))
    return list(examples.values())


def _question(phrasing: str, words: dict[str, list[str]], rng: random.Random) -> str:
    text = phrasing
    while match := _WORD.search(text) or _CHOICE.search(text):
        options = words[match[1]] if match.re is _WORD else match[1].split("|")
        text = text[: match.start()] + rng.choice(options) + text[match.end() :]
    # In gcd(12, 1,800) the separators would be read as commas between arguments.
    slots = _SLOTS | {"n": lambda r: str(_digits(r))} if _CALL.search(text) else _SLOTS
    if "{small}" in text and "{n}" in text:
        slots = slots | {"small": _few, "n": _many}  # what is shared, and among how many
    text = _SLOT.sub(lambda m: slots[m[1]](rng), text)
    return _dress(re.sub(r"\s+", " ", text).strip(), rng)


def _dress(text: str, rng: random.Random) -> str:
    """Openers, closers, capitals and final marks as people use them."""
    wordy = " " in text and text[0].isalpha()
    if wordy and rng.random() < 0.15:
        text = rng.choice(_OPENERS) + text
    if rng.random() < 0.6 and text[-1] not in "?!":
        text += "?" if rng.random() < 0.6 else rng.choice(_CLOSERS)
    if wordy and rng.random() < 0.6:
        text = text[0].upper() + text[1:]
    return text


# --- slots --------------------------------------------------------------------------------------


def _digits(rng: random.Random) -> int:
    return rng.randrange(2, 10 ** rng.choice([1, 2, 2, 3, 3, 4, 5]) + 2)


def _number(rng: random.Random) -> str:
    value = _digits(rng)
    if value >= 1000 and rng.random() < 0.5:
        return f"{value:,}"
    if value < len(_UNITS) and value > 1 and rng.random() < 0.3:
        return _UNITS[value]
    return str(value)


def _signed(rng: random.Random) -> str:
    return f"-{_digits(rng)}" if rng.random() < 0.1 else _number(rng)


def _small(rng: random.Random) -> str:
    value = rng.randrange(2, 60)
    return _UNITS[value] if value < len(_UNITS) and rng.random() < 0.3 else str(value)


def _few(rng: random.Random) -> str:
    value = rng.randrange(2, 26)
    return _UNITS[value] if value < len(_UNITS) and rng.random() < 0.3 else str(value)


def _many(rng: random.Random) -> str:
    value = rng.randrange(20, 10 ** rng.choice([2, 3, 3, 4, 5]))
    return f"{value:,}" if value >= 1000 and rng.random() < 0.5 else str(value)


def _nth(rng: random.Random) -> str:
    value = rng.randrange(2, 46)
    tail = {1: "st", 2: "nd", 3: "rd"}.get(value % 10 if value // 10 != 1 else 0, "th")
    return f"{value}{tail}"


def _values(rng: random.Random, low: int = 3, high: int = 8) -> list[str]:
    sign = rng.random() < 0.2
    return [
        ("-" if sign and rng.random() < 0.4 else "") + str(rng.randrange(0, 200))
        for _ in range(rng.randrange(low, high))
    ]


def _list(rng: random.Random) -> str:
    values = _values(rng)
    style = rng.random()
    if style < 0.25:
        return " ".join(values)
    if style < 0.5:
        return ", ".join(values)
    if style < 0.6:
        return ",".join(values)
    return f"{', '.join(values[:-1])}{rng.choice([' and ', ', and '])}{values[-1]}"


def _vector(rng: random.Random) -> str:
    opening, closing = rng.choice(["[]", "[]", "[]", "()", "{}", "<>"])
    return opening + rng.choice([", ", ","]).join(_values(rng, 2, 6)) + closing


def _matrix(rng: random.Random) -> str:
    size = rng.choice([2, 2, 3])
    rows = ["[" + ", ".join(_values(rng, size, size + 1)) + "]" for _ in range(size)]
    return "[" + ", ".join(rows) + "]"


_SLOTS: dict[str, Callable[[random.Random], str]] = {
    "n": _number,
    "small": _small,
    "signed": _signed,
    "nth": _nth,
    "p": lambda rng: str(rng.randrange(1, 100)),
    "list": _list,
    "vector": _vector,
    "matrix": _matrix,
}


def misread(examples: list[Example]) -> Iterator[tuple[Example, str]]:
    """The examples whose own numbers do not fill their pattern, with the reason."""
    from assistant.router.numbers import read
    from assistant.router.patterns import Unfit

    for example in examples:
        pattern = Pattern.parse(example.pattern)
        if pattern.calls:
            try:
                pattern.fill(read(example.question))
            except Unfit as error:
                yield example, str(error)
