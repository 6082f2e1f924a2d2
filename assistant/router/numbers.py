"""The numbers that stand in a message, as scalars, lists and matrices, with their places.

This reads notation only: digits, signs, thousands separators, decimals, hexadecimal, brackets,
number words. What the numbers are for is the router's question, not this module's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from assistant.router.words import SCALES, spoken

_DIGITS = re.compile(
    r"""(?P<hex>0[xX][0-9a-fA-F]+|0[bB][01]+)
      | (?P<grouped>[1-9]\d{0,2}(?:(?P<sep>[,'\u00a0\u2009\u202f])\d{3})(?:(?P=sep)\d{3})*)(?!\d)
      | (?P<plain>\d+)""",
    re.VERBOSE,
)
# "12 500" alone is one number; "12 500 40" is three, but a group such as "000" is never a number.
_SPACED = re.compile(r"[1-9]\d{0,2}(?: \d{3})+(?!\d)")
_AFTER_NUMBER = re.compile(r"\d\s[-−]?$")
_BEFORE_NUMBER = re.compile(r"\s[-−]?\d")
_EXPONENT = re.compile(r"(?:\.\d+)?[eE][+-]?\d+(?!\w)")
_MOST_EXPONENT = 40
_MOST_DIGITS = 1000
# "1. What is ..." or "(2) What is ...": the place in a list of questions, not a number of it.
MARKER = re.compile(r"\s*\(?\d+[.)]\s+(?=[^\W\d_])")
_FRACTION = re.compile(r"\.\d+")
_SCALE = re.compile(rf"\s?({'|'.join(SCALES)})\b", re.IGNORECASE)
_CENTS = re.compile(r"\b(cents?|pence|centimes?|céntimos?|центов|цент[аы]?)\b", re.IGNORECASE)
_CURRENCY = re.compile(r"[$€£]\s?$")
_MONEY = re.compile(r"\s?(€|\$|£|euros?\b|dollars?\b|pounds?\b|евро\b)", re.IGNORECASE)
_PERCENT = re.compile(r"\s?(%|per ?cent\b)", re.IGNORECASE)
_ORDINAL = re.compile(r"(st|nd|rd|th)\b")
_SIGN_AFTER = set("([{<,;:=*×/÷^+|·")
_SIGNS = "-−"
_OPEN = {"[": "]", "(": ")", "{": "}", "<": ">"}
_INSIDE = set("0123456789,;.+-−xXabcdefABCDEF|'") | set(" \t\n\u00a0\u202f")
_GAP = re.compile(r"\s*(?:[,;|]?\s*(?:\band\b|&|\bor\b)|[,;|]|(?<=\s))\s*[$€£]?\s*", re.IGNORECASE)
_MINUS_WORD = re.compile(r"\b(minus|negative)\s+$", re.IGNORECASE)
_PAUSE = re.compile(r"\s*(?!(?:and|by|to|of|times|plus|from|with)\b)([^\W\d]+\s*)?,\s*")
# A number that nothing stands before, and a space: what follows a "-" there is taken from it.
_TAKEN_FROM = re.compile(r"(?<![\d.,:;\[({<-])(?<![\d.,:;\[({<-] )\b\d+ +$")
_IN_A_ROW = re.compile(r"\d[\d.,]*(,|\s+[-−]?\d|\s*[\])}>])")
_GOES_ON = re.compile(
    r"(^|\.\s)\s*(ok(ay)?,?\s+)?(and|then|now)\s+((then|now)\s+)?$", re.IGNORECASE
)
_SIGN_FOLLOWS = re.compile(
    r"\s*([^\W\d]+\s*)?(,|\band\b|\bor\b|&)\s*(and\s+)?(minus|negative)\b", re.IGNORECASE
)
_MINUS_WORDS = re.compile(r"\b(minus|negative)\s+(minus|negative)\s+$", re.IGNORECASE)
_LONGEST_SIGN = 40  # characters: how far before a number its sign words are looked for


@dataclass(frozen=True)
class Number:
    """`value` is None for what is not a whole number or cannot be read as one.

    `start` and `end` are offsets into the message.
    """

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
    position = marker.end() if (marker := MARKER.match(text)) else 0
    while match := _DIGITS.search(text, position):
        start, end = match.span()
        separator = match["sep"]
        if separator == "," and any(a < start < b for a, b in brackets):
            end = start + len(match[0].split(",")[0])
        elif match["plain"] and not any(a < start < b for a, b in brackets):
            end = _spaced(text, start, end)
        position = end
        if _part_of_a_word(text, start, end, match["hex"] is not None):
            continue
        found.append(_number(text, start, end))
        position = found[-1].end
    digits = [(n.start, n.end) for n in found]
    for word in spoken(text):
        if not any(a < word.end and word.start < b for a, b in digits):
            found.append(Number(
                word.value, text[word.start : word.end], word.start, word.end, word.ordinal,
                bool(_PERCENT.match(text, word.end)),
            ))  # fmt: skip
    found.sort(key=lambda n: n.start)
    signed: list[Number] = []
    for number in found:
        signed.append(_with_sign_word(text, number, signed[-1] if signed else None))
    return signed


def _spaced(text: str, start: int, end: int) -> int:
    """Where the number at `start` ends when spaces group its digits by three; else `end`."""
    match = _SPACED.match(text, start)
    if not match or _part_of_a_word(text, start, end, prefixed=False):  # "Q1 250" holds 250
        return end
    listed = _AFTER_NUMBER.search(text, max(0, start - 3), start)
    listed = listed or _BEFORE_NUMBER.match(text, match.end())
    return end if listed and " 0" not in match[0] else match.end()


def _number(text: str, start: int, end: int) -> Number:
    literal = re.sub(r"[,'\s]", "", text[start:end])
    prefixed = literal[:2].lower() in ("0x", "0b")
    value = int(literal, 0 if prefixed else 10) if len(literal) <= _MOST_DIGITS else None
    if value is not None and not prefixed and (exponent := _EXPONENT.match(text, end)):
        value, end = _scientific(literal + exponent[0]), exponent.end()
    elif fraction := _FRACTION.match(text, end):
        cents = _in_cents(text, start, fraction.end()) if value is not None else False
        value, end = int(literal + fraction[0][1:]) if cents else None, fraction.end()
    elif scale := _SCALE.match(text, end):
        value = None if value is None else value * SCALES[scale[1].lower()]
        end = scale.end()
    if _signed(text, start):
        start -= 1
        value = -value if value is not None else None
    rest = text[end:]
    return Number(
        value, text[start:end], start, end,
        ordinal=bool(_ORDINAL.match(rest)), percent=bool(_PERCENT.match(rest)),
    )  # fmt: skip


def _in_cents(text: str, start: int, end: int) -> bool:
    """ "$3.75" is 375 in a message that speaks of cents, as it is when one writes it so."""
    priced = _CURRENCY.search(text, max(0, start - 2), start) or _MONEY.match(text, end)
    hundredths = re.search(r"(?<!\d)\d+\.\d\d$", text[start:end])
    return bool(priced and hundredths and _CENTS.search(text))


def _scientific(literal: str) -> int | None:
    """ "1e3" or "2.5e4" as a whole number; None when it is a fraction, or out of all range."""
    exponent = re.split("[eE]", literal)[1]
    if len(exponent) > len("+000") or abs(int(exponent)) > _MOST_EXPONENT:
        return None
    value = Decimal(literal)
    return int(value) if value == value.to_integral_value() else None


def _signed(text: str, start: int) -> bool:
    if start == 0 or text[start - 1] not in _SIGNS:
        return False
    before = text[start - 2] if start > 1 else " "
    if before in _SIGNS:  # "5--3": the second is the sign
        return start > 2 and (text[start - 3].isdigit() or text[start - 3].isspace())
    if before.isspace() and _TAKEN_FROM.search(text[: start - 1]):
        return _IN_A_ROW.match(text, start) is not None  # "10 -3" takes away, "10 -3 4" is a list
    return before.isspace() or before in _SIGN_AFTER


def _with_sign_word(text: str, number: Number, previous: Number | None) -> Number:
    """ "minus five" is a sign unless a number stands just before "minus"."""
    begin = max(previous.end if previous else 0, number.start - _LONGEST_SIGN)
    match = _MINUS_WORD.search(text, begin, number.start)
    if not match or number.value is None:
        return number
    if twice := _MINUS_WORDS.search(text, begin, number.start):
        taken = previous is not None and not text[previous.end : twice.start()].strip()
        if not taken or twice[2].lower() == "minus":
            return _unread(text, number, twice.start())
    if number.value < 0:
        operator = match[1].lower() == "minus" and previous is not None
        return number if operator else _unread(text, number, match.start())
    if match[1].lower() == "minus" and _GOES_ON.search(text[: match.start()]):
        return number  # "and minus 3?"
    if match[1].lower() == "minus" and previous:
        between = text[previous.end : match.start()]
        if "," in between and not _is_negative(previous):
            # "50, minus 8, minus 5": taken away one after the other, or a list?
            taken = previous.text.lower().startswith("minus")  # and not read
            taken = taken or _MINUS_WORD.search(text, 0, previous.start) is not None
            if taken or (_PAUSE.fullmatch(between) and _SIGN_FOLLOWS.match(text, number.end)):
                return _unread(text, number, match.start())
        if _PAUSE.fullmatch(between) and not _listed(text, previous, number):
            return number  # "48 times 12, minus 30", "9 m, minus 3 m": an operator, as spoken
        if not re.search(r"[,;:?]|\b(and|by|to|of|times|plus|from|with)\b", between):
            return number
    spelled = text[match.start() : number.end]
    return replace(number, value=-number.value, text=spelled, start=match.start())


def _is_negative(number: Number) -> bool:
    return number.value is not None and number.value < 0


def _listed(text: str, previous: Number, number: Number) -> bool:
    """Whether two numbers with a comma between them belong to a longer list."""
    if _is_negative(previous):
        return True
    between = text[previous.end : number.start]
    if between.lstrip().startswith(","):
        before = re.search(r"(\d|[a-z])\s*,\s*$", text[: previous.start], re.IGNORECASE)
        return bool(before) or bool(re.match(r"\s*(,|and\b|or\b|&)", text[number.end :]))
    # With a unit each: a word may follow for other reasons, so only a number makes it a list.
    before = re.search(r"\d\s*[^\W\d]+\s*,\s*$", text[: previous.start])
    after = re.match(r"\s*[^\W\d]+\s*(,|and\b|or\b|&)\s*(and\s+)?-?\d", text[number.end :])
    return bool(before or after)


def _unread(text: str, number: Number, start: int) -> Number:
    """A number under two signs: what is meant is not for this module to guess."""
    return replace(number, value=None, text=text[start : number.end], start=start)


def _part_of_a_word(text: str, start: int, end: int, prefixed: bool) -> bool:
    """Digits glued to letters that are not a unit, an ordinal or a multiplication "x"."""
    before = text[start - 1] if start else " "
    if before.isalpha() or before == "_":
        # "3x4", and "x4" for "times 4".
        product = before in "xX×" and not text[: start - 1][-1:].isalpha()
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
