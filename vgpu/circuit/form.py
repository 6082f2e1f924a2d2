"""Named integer signals and linear forms over them.

A signal is one channel of the residual stream and holds an integer in [lo, hi]. A form
`const + Σ coef · signal` costs nothing until a gadget reads it: linear layers do the sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

EMBED: Final = -1  # the stage at which the inputs are written


class Signal:
    """An integer in [lo, hi] in one residual channel.

    Stages count half layers: the mixer of layer L is 2L, its MLP 2L + 1. A signal may have
    several writers (they add up); `ready` is the last one's stage, `last_read` the last reader's.
    """

    __slots__ = ("born", "channel", "hi", "kept", "last_read", "lo", "name", "ready", "sealed")

    def __init__(self, name: str, lo: int = 0, hi: int = 1) -> None:
        self.name, self.lo, self.hi = name, lo, hi
        self.born: int | None = None
        self.ready = EMBED
        self.last_read = EMBED
        self.sealed = False
        self.kept = False
        self.channel = -1

    def __repr__(self) -> str:
        return self.name

    def form(self) -> Form:
        return Form({self: 1})

    def __add__(self, other: Operand) -> Form:
        return self.form() + other

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Form:
        return self.form() - other

    def __rsub__(self, other: Operand) -> Form:
        return as_form(other) - self.form()

    def __mul__(self, factor: int) -> Form:
        return self.form() * factor

    __rmul__ = __mul__

    def __neg__(self) -> Form:
        return self.form() * -1


class Form:
    """`const + Σ terms[signal] · signal`, with the range its signals allow.

    `bounded` narrows the range where the designer knows more than interval arithmetic does
    (two bits of which at most one is set); the integer simulation checks such promises.
    """

    __slots__ = ("const", "hi", "lo", "terms")

    def __init__(
        self,
        terms: dict[Signal, int],
        const: int = 0,
        lo: int | None = None,
        hi: int | None = None,
    ) -> None:
        self.terms = {s: c for s, c in terms.items() if c}
        self.const = const
        ends = [(c * s.lo, c * s.hi) for s, c in self.terms.items()]
        self.lo = const + sum(min(e) for e in ends) if lo is None else lo
        self.hi = const + sum(max(e) for e in ends) if hi is None else hi

    def __repr__(self) -> str:
        parts = [f"{c:+d}*{s.name}" for s, c in self.terms.items()]
        return " ".join([*parts, f"{self.const:+d}"])

    def bounded(self, lo: int, hi: int) -> Form:
        return Form(self.terms, self.const, max(lo, self.lo), min(hi, self.hi))

    def __add__(self, other: Operand) -> Form:
        other = as_form(other)
        const = self.const + other.const
        if not other.terms:  # a shift keeps the range that `bounded` gave
            return Form(self.terms, const, self.lo + other.const, self.hi + other.const)
        if not self.terms:
            return Form(other.terms, const, other.lo + self.const, other.hi + self.const)
        terms = dict(self.terms)
        for signal, coef in other.terms.items():
            terms[signal] = terms.get(signal, 0) + coef
        return Form(terms, const)

    __radd__ = __add__

    def __mul__(self, factor: int) -> Form:
        terms = {s: c * factor for s, c in self.terms.items()}
        ends = (self.lo * factor, self.hi * factor)
        return Form(terms, self.const * factor, min(ends), max(ends))

    __rmul__ = __mul__

    def __neg__(self) -> Form:
        return self * -1

    def __sub__(self, other: Operand) -> Form:
        return self + as_form(other) * -1

    def __rsub__(self, other: Operand) -> Form:
        return as_form(other) - self

    @property
    def ready(self) -> int:
        """The stage after which every signal of the form has its value."""
        return max((s.ready for s in self.terms), default=EMBED)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for forms that compute the same thing."""
        return (self.const, frozenset(self.terms.items()))

    @property
    def magnitude(self) -> int:
        """An upper bound on any partial sum while a linear layer adds the form up."""
        return abs(self.const) + sum(
            abs(c) * max(abs(s.lo), abs(s.hi)) for s, c in self.terms.items()
        )


Operand: TypeAlias = "int | Signal | Form"


def as_form(value: Operand) -> Form:
    if isinstance(value, Form):
        return value
    return value.form() if isinstance(value, Signal) else Form({}, value)


def total(parts: Iterable[Operand]) -> Form:
    """The sum of many parts, in one step."""
    terms: dict[Signal, int] = {}
    const = 0
    for part in parts:
        form = as_form(part)
        const += form.const
        for signal, coef in form.terms.items():
            terms[signal] = terms.get(signal, 0) + coef
    return Form(terms, const)


def number(bits: Iterable[Operand]) -> Form:
    """The integer whose binary digits, lowest first, are `bits`."""
    return total(as_form(bit) * (1 << i) for i, bit in enumerate(bits))


def literal(bit: Operand, value: int | bool) -> Form:
    """1 when the 0/1 form `bit` equals `value`, else 0."""
    return as_form(bit) if value else 1 - as_form(bit)
