"""Training questions: the phrasings of prompts/routing/*.yaml with random numbers in their slots.

The same seed gives the same questions. No question of an evaluation set is used.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from num2words import num2words

import prompts
from assistant.router import calls, dress

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_WORD = re.compile(r"<([a-z]\w*)>")
_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
_FOREIGN = re.compile(
    r"[^\x00-\x7f£€×÷·–—−’“”√²³]|\b(und|wie|ist|der|die|das|cuántos?|cuál|combien|les?|des|el|la|los|de)\b",
    re.IGNORECASE,
)
BEFORE = "Before: "  # begins a follow-up: the figure that the answer before gave
FIGURE = re.compile(r"Before: \{\w+(:\w+)?\}\. ")


@dataclass(frozen=True)
class Phrasing:
    """One line of a file: what is called and how it is said. `family` is the call's text, `file`
    the name of its file, empty for what was made of several."""

    family: str
    answers: tuple[calls.Expression, ...]
    text: str
    words: Mapping[str, tuple[str, ...]]
    file: str = ""


@dataclass(frozen=True)
class Slot:
    """A filled slot: its value and where it stands in the question. `kind` is its type's."""

    kind: str
    value: Any
    start: int
    end: int


@dataclass(frozen=True)
class Example:
    """A question, the phrasing that it was made from, and its slots by name."""

    question: str
    phrasing: Phrasing
    slots: Mapping[str, Slot]


@functools.cache
def phrasings() -> tuple[Phrasing, ...]:
    """Every phrasing of every file. Raises ValueError for a line that does not fit its call."""
    found = []
    for name, text in prompts.folder("routing"):
        content = prompts.parsed(text) or {}
        words = {key: tuple(map(str, v)) for key, v in (content.get("words") or {}).items()}
        for pattern in content["patterns"]:
            family = " ".join(str(pattern["call"]).split())
            answers = calls.parse(family)
            wanted = {n for a in answers for n in calls.names(a)} - set(calls.VERDICTS)
            for line in filter(None, map(str.strip, pattern["say"].splitlines())):
                missing = wanted - {m[1] for m in _SLOT.finditer(line)}
                unknown = {m[1] for m in _WORD.finditer(line)} - set(words)
                if missing or unknown:
                    raise ValueError(f"{name}: {family}: {line}: {missing or unknown}")
                found.append(Phrasing(family, answers, line, words, name.removesuffix(".yaml")))
                if line.startswith(BEFORE) and family != calls.NONE:
                    found.append(_alone(line, words))
    return tuple(found)


def _alone(line: str, words: Mapping[str, tuple[str, ...]]) -> Phrasing:
    """A follow-up without what it follows: all that can be said is that it is one."""
    return Phrasing(calls.FOLLOW, (calls.Name(calls.FOLLOW),), FIGURE.sub("", line), words)


def generate(phrasing: Phrasing, count: int, rng: random.Random) -> Iterator[Example]:
    """`count` questions from one phrasing; words, numbers and dress are drawn anew for each."""
    for _ in range(count):
        text = " ".join(_chosen(phrasing.text, phrasing.words, rng).split())
        figure = FIGURE.match(text)[0] if text.startswith(BEFORE) else ""
        said = dress.dressed(
            text[len(figure) :], phrasing.answers, rng, english=not _FOREIGN.search(text)
        )
        yield _filled(figure + said, phrasing, rng)


def pairs(known: Sequence[Phrasing], count: int, rng: random.Random) -> Iterator[Phrasing]:
    """Messages that ask two of the phrasings, one after the other, each with its own numbers."""
    fit = [
        p for p in known
        if dress.may_be_one_of_two(p.text, p.answers)
        and not (p.text.startswith(BEFORE) or _FOREIGN.search(p.text))
    ]  # fmt: skip
    for _ in range(count):
        one, other = rng.sample(fit, 2)
        first, second = (_chosen(p.text, p.words, rng) for p in (one, other))
        yield Phrasing(
            f"{one.family}; {other.family}",
            (*one.answers, *map(dress.renamed_call, other.answers)),
            dress.two(first, dress.renamed(second), rng), {},
        )  # fmt: skip


def _chosen(text: str, words: Mapping[str, tuple[str, ...]], rng: random.Random) -> str:
    while match := _WORD.search(text) or _CHOICE.search(text):
        options = words[match[1]] if match.re is _WORD else match[1].split("|")
        text = text[: match.start()] + rng.choice(options) + text[match.end() :]
    return text


def _filled(text: str, phrasing: Phrasing, rng: random.Random) -> Example:
    parts: list[str] = []
    slots: dict[str, Slot] = {}
    at = length = 0
    in_words = rng.random() < 0.06
    for match in _SLOT.finditer(text):
        kind = match[2] or "n"
        if text.startswith(BEFORE) and not slots:
            kind = {"n": "figure", "vector": "figures"}.get(kind, kind)
        value, written = _KINDS[kind](rng)
        if in_words and kind in _SAID and 0 <= value < 10_000:
            written = str(num2words(value)).replace(",", "")
        if not _may_be_words(text, match) and not any(c.isdigit() for c in written):
            written = str(value)
        if match[1] in slots:
            value, written = (
                slots[match[1]].value,
                "".join(parts)[slots[match[1]].start : slots[match[1]].end],
            )
        before = text[at : match.start()]
        start = length + len(before)
        slots.setdefault(match[1], Slot(kind, value, start, start + len(written)))
        parts += [before, written]
        length = start + len(written)
        at = match.end()
    return Example("".join([*parts, text[at:]]), phrasing, slots)


def _may_be_words(text: str, slot: re.Match[str]) -> bool:
    """English number words stand between English words, not in 12^{a} or "Es sind {a} Kisten"."""
    around = text[: slot.start()][-1:] + text[slot.end() :][:1]
    return not _FOREIGN.search(text) and not set(around) - set(" .,?!")


# --- slots --------------------------------------------------------------------------------------

Filled = tuple[Any, str]


def _written(value: int, rng: random.Random, *, words: float = 0.1) -> str:
    if 0 <= value < 10_000 and rng.random() < (words if value > 20 else 3 * words):
        return str(num2words(value)).replace(",", "")
    if value >= 1000 and rng.random() < 0.4:
        return f"{value:,}"
    return str(value)


def _between(low: int, high: int, *, words: float = 0.1) -> Callable[[random.Random], Filled]:
    def fill(rng: random.Random) -> Filled:
        value = rng.randint(low, high)
        return value, _written(value, rng, words=words)

    return fill


def _any_size(rng: random.Random) -> Filled:
    value = rng.randrange(2, 10 ** rng.choice([1, 2, 2, 3, 3, 4, 5]) + 2)
    if rng.random() < 0.02:
        return -value, f"-{value}"
    return value, _written(value, rng)


def _big(rng: random.Random) -> Filled:
    value = rng.randrange(10**4, 10 ** rng.randint(5, 10))
    return value, _written(value, rng)


def _signed(rng: random.Random) -> Filled:
    value, written = _any_size(rng)
    if rng.random() < 0.3:
        return -value, f"-{value}"
    return value, written


def _figure(rng: random.Random) -> Filled:
    """As an answer gives it: plain digits, now and then below zero."""
    value = _any_size(rng)[0] * rng.choice([1, 1, 1, 1, 1, 1, -1])
    return value, str(value)


def _figures(rng: random.Random) -> Filled:
    values = _values(rng, 2, 7)
    return values, str(values)


def _price(rng: random.Random) -> Filled:
    """Units and hundredths, in hundredths: for messages that speak of cents."""
    value = rng.randrange(1, 10 ** rng.choice([3, 4, 5]))
    return value, f"{value // 100}.{value % 100:02}"


def _nth(rng: random.Random) -> Filled:
    value = rng.randrange(2, 60)
    tail = {1: "st", 2: "nd", 3: "rd"}.get(value % 10 if value // 10 != 1 else 0, "th")
    return value, str(num2words(value, to="ordinal")) if rng.random() < 0.15 else f"{value}{tail}"


def _values(rng: random.Random, low: int = 3, high: int = 9) -> list[int]:
    sign, top = rng.random() < 0.2, 10 ** rng.randint(1, 4)
    return [
        rng.randrange(0, top) * (-1 if sign and rng.random() < 0.4 else 1)
        for _ in range(rng.randrange(low, high))
    ]


def _list(rng: random.Random) -> Filled:
    values = _values(rng)
    texts = [f"{v:,}" if abs(v) > 999 and rng.random() < 0.2 else str(v) for v in values]
    style = rng.random()
    if style < 0.25:
        return values, " ".join(map(str, values))
    if style < 0.5:
        return values, ", ".join(texts)
    if style < 0.6:
        return values, ",".join(map(str, values))
    return values, f"{', '.join(texts[:-1])}{rng.choice([' and ', ', and '])}{texts[-1]}"


def _vector(rng: random.Random) -> Filled:
    values = _values(rng, 2, 7)
    opening, closing = rng.choice(["[]", "[]", "[]", "()", "{}", "<>"])
    return values, opening + rng.choice([", ", ","]).join(map(str, values)) + closing


def _matrix(rng: random.Random) -> Filled:
    size = rng.choice([2, 2, 3])
    rows = [_values(rng, size, size + 1) for _ in range(size)]
    joined = rng.choice([", ", ","])
    written = ["[" + joined.join(map(str, row)) + "]" for row in rows]
    return rows, "[" + joined.join(written) + "]"


def _hex(rng: random.Random) -> Filled:
    text = f"{rng.randrange(16, 1 << rng.choice([8, 12, 16, 24])):x}"
    text = text.upper() if rng.random() < 0.7 else text
    return text, f"0x{text}" if rng.random() < 0.5 else text


def _bin(rng: random.Random) -> Filled:
    text = f"{rng.randrange(2, 1 << rng.randint(3, 12)):b}"
    return text, f"0b{text}" if rng.random() < 0.15 else text


_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August",
           "September", "October", "November", "December")  # fmt: skip


def _date(rng: random.Random) -> Filled:
    year, month, day = rng.randrange(1950, 2040), rng.randrange(1, 13), rng.randrange(1, 29)
    name = _MONTHS[month - 1]
    short = name[:3] if rng.random() < 0.3 else name
    written = rng.choice([
        f"{year}-{month:02}-{day:02}", f"{day} {short} {year}", f"{short} {day}, {year}",
        f"{day:02}.{month:02}.{year}",
    ])  # fmt: skip
    return (year, month, day), written


def _time(rng: random.Random) -> Filled:
    hour, minute = rng.randrange(0, 24), rng.randrange(0, 60)
    if rng.random() < 0.2:
        written = (
            f"{hour % 12 or 12}:{minute:02}{rng.choice(['', ' '])}{'pm' if hour > 11 else 'am'}"
        )
        return (hour, minute, 0), written
    second = rng.randrange(0, 60) if rng.random() < 0.2 else 0
    return (hour, minute, second), f"{hour}:{minute:02}" + (f":{second:02}" if second else "")


_SAID = {"n", "small", "tiny", "money"}  # kinds that a person may write in words throughout
_KINDS: dict[str, Callable[[random.Random], Filled]] = {
    "n": _any_size,
    "small": _between(2, 25),
    "tiny": _between(2, 12, words=0.2),
    "big": _big,
    "signed": _signed,
    "figure": _figure,
    "figures": _figures,
    "p": _between(1, 100, words=0.03),
    "money": _between(2, 5000, words=0.02),
    "price": _price,
    "year": _between(1900, 2035, words=0),
    "nth": _nth,
    "list": _list,
    "vector": _vector,
    "matrix": _matrix,
    "hex": _hex,
    "bin": _bin,
    "date": _date,
    "time": _time,
}
