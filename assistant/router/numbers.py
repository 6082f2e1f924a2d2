"""The numbers that stand in a message, as scalars, lists and matrices, with their places.

This reads notation only: digits, signs, thousands separators, decimals, hexadecimal, brackets,
number words. What the numbers are for is the router's question, not this module's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.router.words import SCALES, spoken

_DIGITS = re.compile(
    r"""(?P<hex>0[xX][0-9a-fA-F]+|0[bB][01]+)
      | (?P<grouped>[1-9]\d{0,2}(?:(?P<sep>[,'\u00a0\u202f])\d{3})(?:(?P=sep)\d{3})*)(?!\d)
      | (?P<plain>\d+)""",
    re.VERBOSE,
)
_FRACTION = re.compile(r"\.\d+")
_SCALE = re.compile(rf"\s?({'|'.join(SCALES)})\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(st|nd|rd|th)\b")
_SIGN_AFTER = set("([{<,;:=*×/÷^+|·")
_SIGNS = "-−"
_OPEN = {"[": "]", "(": ")", "{": "}", "<": ">"}
_INSIDE = set("0123456789,;.+-−xXabcdefABCDEF|'") | set(" \t\n\u00a0\u202f")
_GAP = re.compile(r"\s*(?:[,;|]?\s*(?:\band\b|&|\bor\b)|[,;|]|(?<=\s))\s*[$€£]?\s*", re.IGNORECASE)
_MINUS_WORD = re.compile(r"\b(minus|negative)\s+$", re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """`value` is None for a decimal fraction; `start` and `end` are offsets into the message."""

    value: int | None
    text: str
    start: int
    end: int
    ordinal: bool = False
    percent: bool = False


@dataclass(frozen=True)
class Item:
    """A scalar (one row of one number), a list (one row) or a matrix (several rows)."""

    kind: str
    rows: tuple[tuple[Number, ...], ...]
    start: int
    end: int
    bracketed: bool = False

    @property
    def numbers(self) -> list[Number]:
        return [number for row in self.rows for number in row]


@dataclass(frozen=True)
class Reading:
    """A message's items in order."""

    text: str
    items: tuple[Item, ...] = field(default=())

    def of_kind(self, kind: str) -> list[Item]:
        return [item for item in self.items if item.kind == kind]

    @property
    def numbers(self) -> list[Number]:
        return [number for item in self.items for number in item.numbers]

    def without(self, texts: set[str]) -> Reading:
        """This reading less the scalars written as one of `texts`; itself when there are none."""
        kept = tuple(
            item
            for item in self.items
            if item.kind != "scalar" or item.numbers[0].text.lower() not in texts
        )
        return self if len(kept) == len(self.items) else Reading(self.text, kept)


def read(text: str) -> Reading:
    """Every number of `text`, grouped."""
    brackets = _brackets(text)
    inside = [(b.start, b.end) for b in brackets]
    numbers = _scalars(text, inside)
    items: list[Item] = []
    for bracket in brackets:
        item = bracket.item([n for n in numbers if bracket.start < n.start < bracket.end])
        if item:
            items.append(item)
    taken = [(i.start, i.end) for i in items]
    free = [n for n in numbers if not any(a <= n.start < b for a, b in taken)]
    items += _runs(text, free, taken)
    return Reading(text, tuple(sorted(items, key=lambda item: item.start)))


# --- single numbers ---------------------------------------------------------------------------


def _scalars(text: str, brackets: Sequence[tuple[int, int]]) -> list[Number]:
    found = []
    position = 0
    while match := _DIGITS.search(text, position):
        start, end = match.span()
        separator = match["sep"]
        if separator == "," and any(a < start < b for a, b in brackets):
            end = start + len(match[0].split(",")[0])
        position = end
        if _part_of_a_word(text, start, end, match["hex"] is not None):
            continue
        found.append(_number(text, start, end))
        position = found[-1].end
    digits = [(n.start, n.end) for n in found]
    for word in spoken(text):
        if not any(a < word.end and word.start < b for a, b in digits):
            found.append(Number(word.value, text[word.start : word.end], word.start, word.end,
                                word.ordinal))  # fmt: skip
    found.sort(key=lambda n: n.start)
    return [_with_sign_word(text, n, found[i - 1] if i else None) for i, n in enumerate(found)]


def _number(text: str, start: int, end: int) -> Number:
    literal = text[start:end]
    value: int | None
    value = int(literal, 0) if literal[:2].lower() in ("0x", "0b") else int(
        re.sub(r"[,'\u00a0\u202f]", "", literal)
    )  # fmt: skip
    if fraction := _FRACTION.match(text, end):
        value, end = None, fraction.end()
    elif scale := _SCALE.match(text, end):
        value, end = value * SCALES[scale[1].lower()], scale.end()
    if _signed(text, start):
        start -= 1
        value = -value if value is not None else None
    rest = text[end:]
    return Number(
        value, text[start:end], start, end,
        ordinal=bool(_ORDINAL.match(rest)), percent=bool(re.match(r"\s?%", rest)),
    )  # fmt: skip


def _signed(text: str, start: int) -> bool:
    if start == 0 or text[start - 1] not in _SIGNS:
        return False
    before = text[start - 2] if start > 1 else " "
    return before.isspace() or before in _SIGN_AFTER


def _with_sign_word(text: str, number: Number, previous: Number | None) -> Number:
    """ "minus five" is a sign unless a number stands just before "minus"."""
    match = _MINUS_WORD.search(text, 0, number.start)
    if not match or number.value is None or number.value < 0:
        return number
    if match[1].lower() == "minus" and previous:
        between = text[previous.end : match.start()]
        if not re.search(r"[,;:?]|\b(and|by|to|of|times|plus|from|with)\b", between):
            return number
    return Number(-number.value, text[match.start() : number.end], match.start(), number.end)


def _part_of_a_word(text: str, start: int, end: int, prefixed: bool) -> bool:
    """Digits glued to letters that are not a unit, an ordinal or a multiplication "x"."""
    before = text[start - 1] if start else " "
    if before.isalpha() or before == "_":
        product = before in "xX×" and start > 1 and text[start - 2].isdigit()
        if not product:
            return True
    if before == "-" and start > 1 and text[start - 2].isalpha():
        return True
    if before == "." and start > 1 and text[start - 2].isdigit():
        return True
    tail = re.match(r"[A-Za-z]+(?=\d)", text[end:])
    return not prefixed and tail is not None and tail[0] not in ("x", "X", "e")


# --- brackets and runs ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Bracket:
    """An outermost bracket that holds nothing but numbers, separators and inner brackets."""

    start: int
    end: int
    rows: tuple[tuple[int, int], ...]
    call: bool  # round and glued to a word, as in gcd(12, 18): arguments, not a vector

    def item(self, numbers: Sequence[Number]) -> Item | None:
        rows = [tuple(n for n in numbers if a <= n.start < b) for a, b in self.rows]
        rows = [row for row in rows if row]
        count = sum(map(len, rows))
        if not count or self.call:
            return None
        if len(rows) > 1:
            return Item("matrix", tuple(rows), self.start, self.end, bracketed=True)
        return Item("list", tuple(rows), self.start, self.end, bracketed=True)


def _brackets(text: str) -> list[_Bracket]:
    found = []
    position = 0
    while position < len(text):
        if text[position] in _OPEN and (end := _closing(text, position)):
            bracket = _bracket(text, position, end)
            if bracket:
                found.append(bracket)
                position = end
                continue
        position += 1
    return found


def _closing(text: str, start: int) -> int | None:
    """One past the bracket that closes the one at `start`, if only numbers are inside."""
    stack = []
    for position in range(start, len(text)):
        char = text[position]
        if char in _OPEN:
            stack.append(_OPEN[char])
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return position + 1
        elif char not in _INSIDE:
            return None
    return None


def _bracket(text: str, start: int, end: int) -> _Bracket | None:
    body = text[start + 1 : end - 1]
    if not any(c.isdigit() for c in body):
        return None
    glued = text[start] == "(" and start > 0 and text[start - 1].isalnum()
    inner = [m.span() for m in re.finditer(r"[\[({<][^\[({<]*?[\])}>]", body)]
    if glued:
        # f([..], [..]) holds vectors; they are found on their own.
        return None if inner else _Bracket(start, end, ((start, end),), call=True)
    if not inner:
        cuts = [-1, *(i for i, c in enumerate(body) if c == ";"), len(body)]
        inner = [(a + 1, b) for a, b in zip(cuts, cuts[1:], strict=False)]
    rows = tuple((start + 1 + a, start + 1 + b) for a, b in inner)
    if text[start] == "(" and "," not in body and len(rows) == 1:
        return None  # "(12)" or "(3 + 4)": a grouping, not a vector
    return _Bracket(start, end, rows, call=False)


def _runs(text: str, numbers: Sequence[Number], taken: Sequence[tuple[int, int]]) -> list[Item]:
    """Three or more numbers with only separators between them are a list."""
    runs: list[list[Number]] = []
    for number in numbers:
        last = runs[-1][-1] if runs else None
        near = last is not None and not last.ordinal and not number.ordinal and bool(
            _GAP.fullmatch(text, last.end, number.start)
        )  # fmt: skip
        if near:
            runs[-1].append(number)
        else:
            runs.append([number])
    items = []
    for run in runs:
        if len(run) >= 3:
            items.append(Item("list", (tuple(run),), run[0].start, run[-1].end))
        else:
            items += [Item("scalar", ((n,),), n.start, n.end) for n in run]
    return items
