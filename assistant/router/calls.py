"""Call expressions: nested kernel calls over the numbers of a message.

`sub(mul(a, b), c); isprime(a)` is two answers. Atoms are names (of slots, or of places in a
message), constants that the words imply (`=12`), and `list(...)` of loose numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LIST = "list"
SAME = "same"  # the call before, with the numbers that it was given replaced
NONE, OTHER = "none", "other"  # nothing to compute; something that no kernel computes
FOLLOW = "follow"  # it cannot be understood without the figure before
VERDICTS = (NONE, OTHER, FOLLOW)
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)|=(?P<constant>-?\d+)|(?P<mark>[(),;]))")


@dataclass(frozen=True)
class Name:
    text: str


@dataclass(frozen=True)
class Constant:
    value: int


@dataclass(frozen=True)
class Apply:
    """A kernel's name (or `list`) and its arguments."""

    kernel: str
    args: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.kernel}({', '.join(_text(arg) for arg in self.args)})"


Expression = Apply | Name | Constant


def _text(expression: Expression) -> str:
    if isinstance(expression, Name):
        return expression.text
    return f"={expression.value}" if isinstance(expression, Constant) else str(expression)


def parse(text: str) -> tuple[Expression, ...]:
    """The answers of a call text. Raises ValueError where it is not one."""
    tokens = list(_tokens(text))
    answers, at = [], 0
    while at < len(tokens):
        expression, at = _expression(text, tokens, at)
        answers.append(expression)
        if at < len(tokens):
            if tokens[at] != ";":
                raise ValueError(f'"{text}": expected ; between calls')
            at += 1
    if not answers:
        raise ValueError("an empty call")
    return tuple(answers)


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f'"{text}": not a call at "{text[at:]}"')
        yield match[0].strip()
        at = match.end()


def _expression(text: str, tokens: list[str], at: int) -> tuple[Expression, int]:
    if at >= len(tokens) or tokens[at] in "(),;":
        raise ValueError(f'"{text}": an argument is missing')
    head = tokens[at]
    if head.startswith("="):
        return Constant(int(head[1:])), at + 1
    if at + 1 >= len(tokens) or tokens[at + 1] != "(":
        return Name(head), at + 1
    args, at = [], at + 2
    while True:
        arg, at = _expression(text, tokens, at)
        args.append(arg)
        if at >= len(tokens) or tokens[at] not in ",)":
            raise ValueError(f'"{text}": a bracket is not closed')
        at += 1
        if tokens[at - 1] == ")":
            return Apply(head, tuple(args)), at


def names(expression: Expression) -> Iterator[str]:
    """The names in an expression, in order."""
    if isinstance(expression, Name):
        yield expression.text
    elif isinstance(expression, Apply):
        for arg in expression.args:
            yield from names(arg)
