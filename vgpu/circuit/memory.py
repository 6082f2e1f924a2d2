"""Gated DeltaNet heads as memories.

A token writes `S += beta k (v - k.S)` and then reads `q.S`. With decay off, a one-hot key row and
beta exactly 0 or 1 that is a memory with one write and one read a token:

- row r of `in_proj` for q or k gets `S * f_r`, f_r = 1 for the addressed row and at most 0 for the
  others; SiLU zeroes those and the l2 norm makes the row exactly one-hot (128 * 128 is a power
  of four). The key width is a power of four, so that the read scale 1/sqrt(d_k) is exact too.
- a value head is a bank: the high address bits drive beta and the output gate z. A bit is stored
  beside its complement in a head four times as wide, so exactly a quarter of d_v is lit, the root
  mean square of what is read is a power of two and the gated norm is exact. A row never written
  reads as 0.
- a census head is read with a query of all ones; an anchor row holds a constant so large that the
  norm divides by it alone, and the counts come out exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from vgpu.circuit.form import EMBED, Form, Operand, Signal, as_form, literal

GATE: Final = 128.0  # silu(128 n) is exactly max(128 n, 0) for every integer n
LIT: Final = 4096.0  # what a set bit is stored as; its square drowns the norm's epsilon
ANCHOR: Final = 2.0**22  # of the census, times GATE


@dataclass
class Component:
    """One of a value head's d_v components: what is stored, when it is read, where it goes.

    Stored: `scale * max(data, 0)`. Read: what comes out of the norm, times `128 * max(gate, 0)`,
    times each target's weight (a power of two that makes the result an integer).
    """

    data: Form
    scale: float
    gate: Form | None = None
    outs: dict[Signal, float] = field(default_factory=dict)


@dataclass
class ValueHead:
    """A bank: written when the 0/1 form `write` is 1 (0 or less is off)."""

    write: Form
    components: dict[int, Component]


@dataclass
class KeyHead:
    """`query[r]` and `key[r]` are 1 for the addressed row and at most 0 for every other."""

    name: str
    query: list[Form]
    key: list[Form]
    banks: list[ValueHead]


@dataclass
class Mixer:
    """The token mixer of one layer. Every key head has the same number of banks in the layer."""

    heads: list[KeyHead]
    key_width: int
    value_width: int

    def __post_init__(self) -> None:
        if self.key_width & (self.key_width - 1) or self.key_width.bit_length() % 2 == 0:
            raise ValueError(f"key width {self.key_width} is not a power of four")

    @property
    def group(self) -> int:
        """Value heads a key head."""
        return max(len(head.banks) for head in self.heads)

    @property
    def ready(self) -> int:
        return max((form.ready for form in self.forms()), default=EMBED)

    def forms(self) -> Iterator[Form]:
        for head in self.heads:
            yield from head.query
            yield from head.key
            for bank in head.banks:
                yield bank.write
                for component in bank.components.values():
                    yield component.data
                    if component.gate is not None:
                        yield component.gate

    def components(self) -> Iterator[Component]:
        for head in self.heads:
            for bank in head.banks:
                yield from bank.components.values()

    def targets(self) -> set[Signal]:
        return {signal for component in self.components() for signal in component.outs}


def key_width_for(rows: int, most: int = 256) -> int:
    """The least power of four with at least `rows` rows, at most `most`."""
    width = 4
    while width < min(rows, most):
        width *= 4
    return width


def decode(bits: list[Operand], rows: int) -> list[Form]:
    """Row forms of an address decoder: row r is 1 when the bits spell r, else at most 0."""
    return [
        sum((literal(bit, row >> i & 1) for i, bit in enumerate(bits)), as_form(1 - len(bits)))
        for row in range(rows)
    ]


def decode_pair(low: list[Signal], high: list[Signal]) -> list[Form]:
    """Row forms from two one-hot halves of an address: three weights a row."""
    return [low[r % len(low)] + high[r // len(low)] - 1 for r in range(len(low) * len(high))]


def word_bank(
    write: Operand, data: list[Form], valid: Form, gate: Operand, outs: list[dict[Signal, int]]
) -> ValueHead:
    """A bank whose rows hold `len(data)` bits. `valid` is 1 on tokens that may write.

    Bit i sits in component 2i, its complement in 2i + 1; the upper half of the head is dark.
    What the norm gives for a set bit is 2, so a gate of 128 and a weight of 1/256 make it 1.
    """
    gate = as_form(gate)
    components: dict[int, Component] = {}
    for i, bit in enumerate(data):
        weights = {signal: weight / (2 * GATE) for signal, weight in outs[i].items()}
        components[2 * i] = Component(bit, LIT, gate if weights else None, weights)
        components[2 * i + 1] = Component(valid - bit, LIT)
    return ValueHead(as_form(write), components)


def census_bank(
    write: Form,
    anchor: Form,
    classes: list[Form],
    counts: list[Signal],
    shape: tuple[int, int],
    gates: list[Form] | None = None,
) -> ValueHead:
    """Counts, over the rows that the query lights, of those whose class was set.

    `shape` is (d_k, d_v). `anchor` is 1 on the token that writes the anchor row, which every query
    lights. The number of rows lit must be the same on every token, and a power of four. `gates`:
    when each count is read, always by default. Several classes may add to one signal.
    """
    value_width = shape[1]
    # Two anchors when d_v is twice a power of four, one when it is one: a power of four over all.
    anchors = 2 if value_width.bit_length() % 2 == 0 else 1
    weight = (anchors / value_width) ** 0.5 * ANCHOR / GATE
    open_ = gates or [as_form(1)] * len(classes)
    components = {
        i: Component(form, GATE, gate, {count: weight})
        for i, (form, count, gate) in enumerate(zip(classes, counts, open_, strict=True))
    }
    for i in range(anchors):
        components[len(classes) + i] = Component(anchor, GATE * ANCHOR)
    return ValueHead(write, components)
