"""Constant expressions (PTX ISA 4.5): 64-bit integers with C's operators and precedences.

A number is signed unless it needs all 64 bits or is cast by `(.u64)`; an operation with an unsigned
operand is unsigned.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

_BITS: Final = 64
_MASK: Final = (1 << _BITS) - 1


@dataclass(frozen=True, slots=True)
class Constant:
    """A 64-bit value, in the range of its type."""

    value: int
    unsigned: bool = False


def constant(value: int, unsigned: bool = False) -> Constant:
    """`value` modulo 2**64, in the range of the type."""
    unsigned = unsigned or value >> (_BITS - 1) == 1
    value &= _MASK
    if not unsigned and value >> (_BITS - 1):
        value -= 1 << _BITS
    return Constant(value, unsigned)


def _divide(a: int, b: int) -> int:
    """Rounded towards zero. Raises ZeroDivisionError."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


_PRECEDENCE: Final = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "==": 6, "!=": 6, "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1, "?": 0,
}  # fmt: skip
_TRUTHS: Final[dict[str, Callable[[int, int], bool]]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
    "&&": lambda a, b: bool(a and b), "||": lambda a, b: bool(a or b),
}  # fmt: skip
_SHIFTS: Final = {"<<": operator.lshift, ">>": operator.rshift}
_NUMBERS: Final[dict[str, Callable[[int, int], int]]] = {
    "*": operator.mul, "/": _divide, "%": lambda a, b: a - b * _divide(a, b),
    "+": operator.add, "-": operator.sub,
    "&": operator.and_, "^": operator.xor, "|": operator.or_,
}  # fmt: skip


def unary(sign: str, a: Constant) -> Constant:
    """`- + ~ !`, or a cast `(.s64)` or `(.u64)`."""
    match sign:
        case "-":
            return constant(-a.value, a.unsigned)
        case "~":
            return constant(~a.value, a.unsigned)
        case "!":
            return Constant(int(a.value == 0))
        case "+":
            return a
    return constant(a.value, True) if "u" in sign else _signed(a.value)


def _signed(value: int) -> Constant:
    value &= _MASK
    return Constant(value - (1 << _BITS) if value >> (_BITS - 1) else value)


def binary(sign: str, a: Constant, b: Constant) -> Constant:
    """Raises ZeroDivisionError, and KeyError for an operator that there is not."""
    if sign in _SHIFTS:
        amount = min(max(b.value, 0), _BITS)
        shifted = _SHIFTS[sign](a.value, amount)
        return constant(shifted, True) if a.unsigned else _signed(shifted)
    unsigned = a.unsigned or b.unsigned
    x, y = (v.value & _MASK if unsigned else v.value for v in (a, b))
    if sign in _TRUTHS:
        return Constant(int(_TRUTHS[sign](x, y)))
    result = _NUMBERS[sign](x, y)
    return constant(result, True) if unsigned else _signed(result)


def evaluate(items: Sequence[Constant | str]) -> Constant:
    """The value of operands and operators in turn.

    Raises ZeroDivisionError, and ValueError when `?` and `:` do not match.
    """
    value, end = _climb(items, 0, 0)
    if end != len(items):
        raise ValueError("':' without '?'")
    return value


def _climb(items: Sequence[Constant | str], at: int, least: int) -> tuple[Constant, int]:
    """(value, where it ends) of the expression at `at` of operators that bind at least so."""
    first = items[at]
    assert isinstance(first, Constant)
    value, at = first, at + 1
    while at < len(items):
        sign = items[at]
        assert isinstance(sign, str)
        strength = _PRECEDENCE.get(sign, -1)
        if strength < least:
            break
        if sign == "?":
            chosen, at = _climb(items, at + 1, 0)
            if at >= len(items) or items[at] != ":":
                raise ValueError("'?' without ':'")
            other, at = _climb(items, at + 1, 0)
            value = chosen if value.value else other
            continue
        right, at = _climb(items, at + 1, strength + 1)
        value = binary(sign, value, right)
    return value, at
