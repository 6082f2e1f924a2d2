"""The body of a kernel as a row of symbols, and back: the text comes back as it was.

A symbol is a keyword, an operator, a name or a small number of CUDA. The layout is fixed: four
spaces a level, one statement a line, `if (…) x;` on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

INDENT = "    "
NEGATIVE = "neg"  # the sign before a number or a name, as against "-" between two
KEYWORDS = ("__shared__", "int", "if", "else", "for", "while", "do", "break", "continue")
FUNCTIONS = ("min", "max", "abs", "__popc")
PARAMETERS = ("a", "b", "n", "k", "x", "y", "z", "out")
LOCALS = (
    "i", "j", "l", "t", "s", "r", "v", "count", "sum", "best", "last", "length", "product",
    "found", "low", "sorted", "counts",
)  # fmt: skip
OPERATORS = (
    "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>",
    "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "?", ":",
)  # fmt: skip
MARKS = ("++", "--", "(", ")", "[", "]", "{", "}", ";", ",", "!", NEGATIVE)
NUMBERS = (
    *range(21), 24, 25, 30, 32, 36, 40, 48, 50, 60, 64, 70, 72, 75, 80, 90, 99, 100, 120, 128, 150,
    200, 250, 256, 300, 365, 400, 500, 999, 1000,
)  # fmt: skip
VOCABULARY = (
    *KEYWORDS, *FUNCTIONS, *PARAMETERS, *LOCALS, *OPERATORS, *MARKS, *map(str, NUMBERS),
)  # fmt: skip
MOST_SYMBOLS = 140

_TOKEN = re.compile(
    r"\s*(?:(?P<word>[A-Za-z_]\w*|\d+)|(?P<mark>"
    + "|".join(
        re.escape(mark)
        for mark in sorted((*OPERATORS, *MARKS[:-1]), key=len, reverse=True)
    )
    + r"))"
)  # fmt: skip
_BINARY = set(OPERATORS)
_ENDS_OPERAND = re.compile(r"\w+|[)\]]|\+\+|--")
_TIGHT_BEFORE = {";", ",", ")", "]", "[", "++", "--"}
_TIGHT_AFTER = {"(", "[", "!", NEGATIVE}


def symbols(text: str) -> list[str]:
    """The row of a piece of CUDA. Raises ValueError for what is not in the vocabulary."""
    row: list[str] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"no symbol of the vocabulary: {text[at : at + 20]!r}")
        symbol, at = found["word"] or found["mark"], found.end()
        if symbol == "-" and not (row and row[-1] not in KEYWORDS and _operand(row[-1])):
            symbol = NEGATIVE
        if symbol not in _KNOWN:
            raise ValueError(f"no symbol of the vocabulary: {symbol!r}")
        row.append(symbol)
    return row


_KNOWN = frozenset(VOCABULARY)


def _operand(symbol: str) -> bool:
    """True when an operand may end with this symbol."""
    return symbol != NEGATIVE and _ENDS_OPERAND.fullmatch(symbol) is not None


def text(row: Iterable[str], depth: int = 0) -> str:
    """The CUDA of a row, laid out with `depth` levels before it."""
    lines: list[str] = []
    line, inside = "", 0
    blocks: list[bool] = []  # for each open block: does it belong to a `do`?
    previous, tail = "", False  # tail: what ends a `do` block follows

    def end() -> None:
        nonlocal line
        lines.append(INDENT * (depth + len(blocks)) + line)
        line = ""

    for symbol in row:
        if symbol == "}":
            if line:
                end()
            tail = blocks.pop() if blocks else False
            line = "}"
            previous = symbol
            continue
        if line == "}":  # `} else`, `} while (…);`, or a line of its own
            if symbol == "else" or (symbol == "while" and tail):
                line = "} " + symbol
                previous = symbol
                continue
            end()
        if symbol == "{":
            line += " {" if line else "{"
            lines.append(INDENT * (depth + len(blocks)) + line)
            blocks.append(previous == "do")
            line, previous = "", symbol
            continue
        inside += (symbol == "(") - (symbol == ")")
        line += _space(line, previous, symbol) + ("-" if symbol == NEGATIVE else symbol)
        previous = symbol
        if symbol == ";" and inside == 0:
            end()
    if line:
        end()
    return "\n".join(lines) + "\n"


def _space(line: str, previous: str, symbol: str) -> str:
    """What stands between two symbols of a line."""
    if not line or symbol in _TIGHT_BEFORE or previous in _TIGHT_AFTER:
        return ""
    if symbol == "(" and previous not in _BINARY and previous not in KEYWORDS:
        return "" if re.fullmatch(r"\w+", previous) else " "
    return " "
