"""A whole draft as a row of symbols: how far its result goes, whether order matters, its body."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from assistant.advanced import extent as extents
from assistant.advanced.lessons import symbols
from assistant.advanced.lessons.lesson import Lesson, wrapped
from assistant.advanced.task import Task
from assistant.advanced.write import Draft

FREE, ORDERED, END = "<free>", "<ordered>", "<end>"
VOCABULARY = (FREE, ORDERED, END, *symbols.VOCABULARY)
MOST_SYMBOLS = symbols.MOST_SYMBOLS + 10
_WIDE = "long long"


def row_of(lesson: Lesson) -> tuple[str, ...]:
    """What is to be written for a lesson."""
    return (*lesson.last, FREE if lesson.order_free else ORDERED, *lesson.row, END)


def draft_of(row: Sequence[str], task: Task, names: Mapping[str, str], probability: float) -> Draft:
    """The draft of a row. `names` are what the task calls the parameters of the row. A row that
    does not end is one that was cut off."""
    said = next((mark for mark in (FREE, ORDERED) if mark in row), None)
    if said is None or row[-1] != END:
        extent = task.extent or extents.Extent()
        return Draft(symbols.text(row), extent, False, probability, False, after_examples=False)
    at = row.index(said)
    last, body = row[:at], list(row[at + 1 : -1])
    taken = set(names.values())
    named = {local: f"{local}_" for local in symbols.LOCALS if local in taken} | dict(names)
    text = symbols.text([named.get(symbol, symbol) for symbol in body], depth=2)
    if task.signature.out.type == _WIDE:
        text = text.replace("int ", f"{_WIDE} ")
    extent = task.extent or extents.parse(
        f"out[0..{''.join(named.get(s, s) for s in last)}]",
        [p.name for p in task.signature.scalars],
    )
    kernel = wrapped(task.signature, text)
    return Draft(kernel, extent, said == FREE, probability, after_examples=False)


class Grammar:
    """Which symbols may come after a row: those of a well-formed body that knows its names."""

    def __init__(self, parameters: Sequence[str]) -> None:
        """`parameters` are those of the task, by the names of the row."""
        self._parameters = {*parameters, "out"}

    def begin(self) -> Any:
        """The state of an empty row."""
        return _parser().parse_interactive("")

    def feed(self, state: Any, row: Sequence[str], symbol: str) -> Any:
        """The state with one more symbol, or None when it may not come after `row`."""
        from lark import Token, UnexpectedInput

        terminal = _terminal(symbol)
        if terminal is None or not self._known(row, symbol):
            return None
        state = state.copy(deepcopy_values=False)
        try:
            state.feed_token(Token(terminal, symbol))
        except UnexpectedInput:
            return None
        return state

    def _known(self, row: Sequence[str], symbol: str) -> bool:
        if symbol in symbols.PARAMETERS:
            return symbol in self._parameters
        declared = bool(row) and row[-1] == "int"
        return symbol not in symbols.LOCALS or declared or symbol in row


_KINDS = (
    dict.fromkeys(symbols.LOCALS, "NAME")
    | dict.fromkeys(symbols.PARAMETERS, "NAME")
    | {"a": "LIST", "b": "LIST", "sorted": "TABLE", "counts": "TABLE"}
)
del _KINDS["out"]


def _terminal(symbol: str) -> str | None:
    """The grammar's name for a symbol; None for one that it has no place for."""
    if symbol.isdigit():
        return "NUMBER"
    return _KINDS.get(symbol) or _terminals().get(symbol)


@functools.cache
def _terminals() -> dict[str, str]:
    """Each fixed symbol's terminal in the grammar."""
    return {
        terminal.pattern.value: terminal.name
        for terminal in _parser().terminals
        if terminal.pattern is not None
    }


@functools.cache
def _parser() -> Any:
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """Symbols are tokens already."""

        def __init__(self, _conf: Any) -> None: ...

        def lex(self, *_: Any) -> Any:
            return iter(())

    text = resources.files(__package__).joinpath("kernel.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer=NoLexer)
