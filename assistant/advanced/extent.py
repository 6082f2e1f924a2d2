"""Which numbers of `out` are the result: `out[0]`, `out[0..9]`, `out[0..n-3]`, or, where the
machine counts them itself, `out[0..out[0]]`."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vgpu.errors import InputError

MOST = 4096  # numbers of a result
TOLD = "out[0]"  # the first number of the result, as a place
_SAID = re.compile(r"out\[0(?:\.\.(?P<last>[^.]+))?\]")
_FACTOR = r"(?:\d{1,4}|[A-Za-z_]\w*(?:\[0\])?)"
_LAST = re.compile(rf"{_FACTOR}(?:[-+*]{_FACTOR})*")


@dataclass(frozen=True)
class Extent:
    """`out[0..last]`: `last` is a sum of products of numbers, parameters and `out[0]`."""

    last: str = "0"

    @property
    def single(self) -> bool:
        return self.last == "0"

    @property
    def told(self) -> bool:
        """The machine says in `out[0]` how long the result is."""
        return TOLD in self.last

    def count(self, inputs: Mapping[str, Any], out: Sequence[int] = ()) -> int:
        """How many numbers the result has; less than 1 when these inputs give none. Where `told`,
        `out` is what the machine gave."""
        known = {TOLD: out[0] if out else 0, **inputs}
        total = 0
        for term in re.findall(r"[-+]?[^-+]+", self.last):
            factors = [_value(f, known) for f in term.lstrip("+-").split("*")]
            total += -math.prod(factors) if term[0] == "-" else math.prod(factors)
        return total + 1

    def room(self, inputs: Mapping[str, Any]) -> int:
        """Numbers that `out` must hold."""
        if not self.told:
            return min(max(self.count(inputs), 1), MOST)
        numbers = [
            v for value in inputs.values() for v in ([value] if type(value) is int else value)
        ]
        return min(2 * len(numbers) + 66, MOST)

    def __str__(self) -> str:
        return "out[0]" if self.single else f"out[0..{self.last}]"


def _value(factor: str, known: Mapping[str, Any]) -> int:
    return int(factor) if factor.isdigit() else int(known[factor])


def parse(text: str, scalars: Sequence[str]) -> Extent:
    """The extent that `text` says; `scalars` are the parameters it may name. Raises InputError."""
    said = _SAID.fullmatch(text.replace(" ", ""))
    last = (said["last"] or "0") if said else ""
    if not _LAST.fullmatch(last):
        raise InputError(f'output "{text}": expected out[0], out[0..9] or out[0..n-1]')
    for factor in re.split("[-+*]", last):
        if not factor.isdigit() and factor not in (TOLD, *scalars):
            raise InputError(f'output "{text}": the kernel has no number "{factor}"')
    return Extent(last)


def of_examples(examples: Sequence[tuple[Mapping[str, Any], Sequence[int]]]) -> Extent | None:
    """The first extent that fits the (inputs, result) of every example; None when none does."""
    names = [n for n, value in examples[0][0].items() if isinstance(value, int)]
    lengths = {len(result) for _inputs, result in examples}
    if len(lengths) == 1:
        return Extent(str(lengths.pop() - 1))
    for extent in _usual(names):
        if all(extent.count(inputs, result) == len(result) for inputs, result in examples):
            return extent
    return None


def _usual(names: Sequence[str]) -> Iterator[Extent]:
    """Extents that results have, the simplest first."""
    for name in names:
        yield from (Extent(f"{name}{more}") for more in ("-1", "", "-2", "-3", "+1"))
    for one, other in itertools.combinations(names, 2):
        yield from (Extent(f"{one}{sign}") for sign in (f"*{other}-1", f"+{other}-1"))
        yield from (Extent(f"{one}{sign}") for sign in (f"-{other}", f"+{other}-2"))
    for name in names:
        yield from (Extent(f"{times}*{name}-1") for times in (2, 3, name))
    yield from (Extent(TOLD), Extent(f"2*{TOLD}"))


def choices(signature_scalars: Sequence[str]) -> list[str]:
    """What a host may say about a kernel with these scalar parameters."""
    names = list(signature_scalars)
    fixed = [Extent(), Extent("1"), Extent("2"), Extent("3"), Extent("9")]
    return [str(e) for e in dict.fromkeys([*fixed, *_usual(names)])]
