"""What stands around a phrasing: greetings, remarks, marks, capitals; and two questions in one
message. (prompts/dress.yaml)"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Sequence

import prompts
from assistant.router import calls
from assistant.router.calls import Apply, Expression, Name

# Kernels whose result is rounded down, so that a message may say so.
_DOWN = ("percent", "div", "mean", "change", "isqrt", "median", "variance")
_SAYS_DOWN = re.compile(
    r"round|whole|full|complet|integer|remain|fraction|floor|decimal|left|trunc|exact|entire",
    re.IGNORECASE,
)
_MOST_OF_TWO = 120  # characters of each of two questions in one message
_APART = "_2"  # ends the slots of the second


@functools.cache
def _lines(name: str) -> tuple[str, ...]:
    text: str = prompts.parsed(prompts.text("dress.yaml"))[name]
    return tuple(text.splitlines())


def dressed(text: str, answers: Sequence[Expression], rng: random.Random, *, english: bool) -> str:
    """Openers, closers, remarks, capitals and final marks as people use them."""
    wordy = " " in text and text[0].isalpha()
    if english and wordy and rng.random() < 0.12 and _drops(text, answers):
        text = _rounded(text, rng)
    if wordy and rng.random() < 0.1:
        text = f"{rng.choice(_lines('openers'))} {text}"
    if rng.random() < 0.5 and text[-1] not in "?!.":
        close = "?" if rng.random() < 0.6 else rng.choice(_lines("closers"))
        close = close if close[0] in "?.!," else f" {close}"
        text += close if text[-1].isalpha() else close.replace("!", "")  # 8! is a factorial
    elif text[-1] in "?." and rng.random() < 0.15:
        text = text[:-1]
    if wordy and rng.random() < 0.5:
        text = text[0].upper() + text[1:]
    elif rng.random() < 0.1:
        text = "".join(p if p.startswith("{") else p.lower() for p in re.split(r"(\{\S+?\})", text))
    if english and wordy and rng.random() < 0.06:
        text = f"{rng.choice(_lines('before'))} {text}"
    if english and wordy and rng.random() < 0.06:
        text = f"{text}{'' if text[-1] in '?!.' else '.'} {rng.choice(_lines('behind'))}"
    return text


def _drops(text: str, answers: Sequence[Expression]) -> bool:
    """Whether the figure is rounded down and the text does not say so."""
    (first, *more) = answers
    outermost = first.kernel if isinstance(first, Apply) and not more else ""
    return outermost in _DOWN and _SAYS_DOWN.search(text) is None


def _rounded(text: str, rng: random.Random) -> str:
    said, mark = (text[:-1], text[-1]) if text[-1] in "?." else (text, "")
    if rng.random() < 0.3:
        return f"{said}{mark or '.'} {rng.choice(_lines('down_behind'))}"
    note = rng.choice(_lines("down"))
    return f"{said}{'' if note[0] == ',' else ' '}{note}{mark}"


def may_be_one_of_two(text: str, answers: Sequence[Expression]) -> bool:
    """Whether a phrasing can stand beside another, each with its own numbers."""
    return (
        len(answers) == 1
        and isinstance(answers[0], Apply)
        and len(text) <= _MOST_OF_TWO
        and " " in text
        and "cent" not in text
        and "price" not in text
    )


def renamed(text: str) -> str:
    """A phrasing's text with slots of its own, apart from those of another."""
    return re.sub(r"\{(\w+)((?::\w+)?)\}", rf"{{\1{_APART}\2}}", text)


def renamed_call(expression: Expression) -> Expression:
    if isinstance(expression, Apply):
        return Apply(expression.kernel, tuple(renamed_call(arg) for arg in expression.args))
    if isinstance(expression, Name) and expression.text not in calls.VERDICTS:
        return Name(expression.text + _APART)
    return expression


def two(one: str, other: str, rng: random.Random) -> str:
    """Two questions as one message."""
    one = one[0].upper() + one[1:] if rng.random() < 0.7 else one
    if one[-1] not in "?.!":
        one += rng.choice("?.;,?" if one[-1].isalpha() else "?;.,")
    style = rng.random()
    if style < 0.3:
        other = other[0].upper() + other[1:]
        return f"{one} {other}"
    link = rng.choice(_lines("between"))
    if one[-1] in ",;":
        link = link[0].lower() + link[1:]
    return f"{one} {link} {other}"
