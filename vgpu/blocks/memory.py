"""Memory: loads and stores of bytes, half words and words in one flat little-endian memory.

The address a + i has an adder of its own, so that it is ready two layers before the sum. A store
is a write of four one-byte value heads with their own enables; a load reads the whole word and
picks its bytes afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from vgpu.blocks.decode import Decoded
from vgpu.blocks.front import Word
from vgpu.blocks.registers import Operands
from vgpu.circuit.carries import carry
from vgpu.circuit.form import Form, Signal, as_form, literal, number, total
from vgpu.circuit.memory import KeyHead, Mixer, ValueHead, decode_pair, word_bank
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry

BYTES = 4  # a word


@dataclass
class Access:
    """`outside`, `misaligned`: faults of this access. `loaded`: a load that went well."""

    outside: Signal
    misaligned: Signal
    loaded: Form


def build(
    n: Netlist, g: Geometry, word: Word, d: Decoded, r: Operands, value: list[Signal]
) -> Access:
    n.block("memory")
    address, carry_out = _address(n, g, r)
    outside, misaligned = _faults(n, g, d, r, address, carry_out)
    lanes = _ByteLanes(n, d, address, outside, misaligned)
    stored = _aligned(n, g, word, d, r)
    words = _words(n, g, word, lanes, stored, address)
    _pick(n, g, word, d, lanes, words, value)
    return Access(
        n.all_of("outside.fault", d.gated["load"] + d.gated["store"], outside),
        misaligned,
        total(lanes.loads),
    )


def _address(n: Netlist, g: Geometry, r: Operands) -> tuple[list[Form], Form]:
    """The address bits a + b, and the carry out of them."""
    columns = [r.a[i] + r.b[i] for i in range(g.address_bits)]
    into = [as_form(0)] + [
        carry(n, f"address.c{j}", number(columns[:j]), j) for j in range(1, g.address_bits + 1)
    ]
    bits = [(column + into[i] - 2 * into[i + 1]).bounded(0, 1) for i, column in enumerate(columns)]
    return bits, into[-1]


def _faults(
    n: Netlist, g: Geometry, d: Decoded, r: Operands, address: list[Form], carry_out: Form
) -> tuple[Signal, Signal]:
    """`outside` whatever the opcode; `misaligned` for loads and stores that act.

    The high part a + b + carry is zero, or wraps around to zero when b is a negative offset.
    """
    outside = n.signal("outside")
    high_bits = g.width - g.address_bits
    if high_bits:
        high = number(r.a[g.address_bits :]) + number(r.b[g.address_bits :]) + carry_out
        n.step_into(outside, high, 1)
        for offset, weight in ((-1, -1), (0, 2), (1, -1)):
            n.neuron(high - ((1 << high_bits) + offset), {outside: weight})
    misaligned = n.signal("misaligned")
    n.step_into(misaligned, 2 * d.gated["size_w"] + address[0] + address[1], 3)
    n.all_into(misaligned, [d.gated["size_h"], address[0]])
    return outside, misaligned


class _ByteLanes:
    """Which bytes of the word an access touches: one signal for each size and place.

    `loads` and `stores` are off when the access faults or the lane does not act.
    """

    def __init__(
        self, n: Netlist, d: Decoded, address: list[Form], outside: Signal, misaligned: Signal
    ) -> None:
        good = [literal(outside, 0), literal(misaligned, 0)]
        low, high = address[0], address[1]
        self.places: list[tuple[str, int]] = [("w", 0)]
        self.places += [("h", v) for v in range(2)] + [("b", v) for v in range(BYTES)]
        self.loads: list[Signal] = []
        self.stores: list[Signal] = []
        for what, made in (("load", self.loads), ("store", self.stores)):
            for size, v in self.places:
                spelled = {
                    "w": [],
                    "h": [literal(high, v)],
                    "b": [literal(low, v & 1), literal(high, v >> 1)],
                }[size]
                acts = [d.gated[what], d.gated[f"size_{size}"]]
                made.append(n.all_of(f"{what}.{size}{v}", *acts, *spelled, *good))

    def touching(self, signals: list[Signal], byte: int) -> Form:
        """The sum of the signals whose access covers that byte of the word: 0 or 1."""
        parts = [
            signal
            for signal, (size, v) in zip(signals, self.places, strict=True)
            if v == {"w": 0, "h": byte // 2, "b": byte}[size]
        ]
        return total(parts).bounded(0, 1)

    def source(self, byte: int, out: int) -> Form:
        """1 when a load puts that byte of the word into byte `out` of the result."""
        parts = [
            signal
            for signal, (size, v) in zip(self.loads, self.places, strict=True)
            if byte == {"w": out, "h": 2 * v + out, "b": v + out}[size]
            and out < {"w": BYTES, "h": 2, "b": 1}[size]
        ]
        return total(parts).bounded(0, 1)


def _aligned(n: Netlist, g: Geometry, word: Word, d: Decoded, r: Operands) -> list[Form]:
    """c with its low byte or half repeated, so that every enabled byte finds its data."""
    byte, half = g.byte, 2 * g.byte
    result = [r.c[i].form() for i in range(byte)]
    is_byte, is_half = d.line["size_b"], d.gated["size_h"]
    is_word = d.gated["size_w"] + word["mem"][0]
    for place in range(1, BYTES):
        for i in range(byte):
            out = n.signal(f"stored{place * byte + i}")
            n.select_into(out, is_byte, r.c[i])
            if place == 1:
                n.select_into(out, 1 - is_byte, r.c[byte + i])
            else:
                n.select_into(out, is_word, r.c[place * byte + i])
                n.select_into(out, is_half, r.c[(place * byte + i) % half])
            result.append(out.form())
    return result


def _words(
    n: Netlist,
    g: Geometry,
    word: Word,
    lanes: _ByteLanes,
    stored: list[Form],
    address: list[Form],
) -> list[Signal]:
    """The memory itself: the word at the address, as it is after this token's store."""
    out = [n.signal(f"memory{i}") for i in range(g.width)]
    bits = address[2:]
    row_bits = min(8, len(bits) // 2 * 2)
    rows = decode_pair(
        n.one_hot("memory.low", bits[: row_bits // 2]),
        n.one_hot("memory.high", bits[row_bits // 2 : row_bits]),
    )
    token = total([word["exec"][0], word["mem"][0], word["read"][0]])
    banks = n.one_hot("memory.bank", bits[row_bits:], [token])
    valid = as_form(1)
    heads: list[ValueHead] = []
    for bank in banks:
        for place in range(BYTES):
            at = slice(place * g.byte, (place + 1) * g.byte)
            write = lanes.touching(lanes.stores, place) + word["mem"][0] + bank - 1
            outs = [{signal: 1} for signal in out[at]]
            heads.append(word_bank(write, stored[at], valid, bank, outs))
    n.add_mixer(Mixer([KeyHead("memory", rows, rows, heads)], len(rows), 4 * g.byte))
    return out


def _pick(
    n: Netlist,
    g: Geometry,
    word: Word,
    d: Decoded,
    lanes: _ByteLanes,
    words: list[Signal],
    value: list[Signal],
) -> None:
    """The loaded bytes into `value`, zero- or sign-extended."""
    for place in range(BYTES):
        for byte in range(BYTES):
            chosen = lanes.source(byte, place)
            if place == byte:
                chosen = (chosen + word["read"][0]).bounded(0, 1)
            for i in range(g.byte):
                n.select_into(value[place * g.byte + i], chosen, words[byte * g.byte + i])
    extend = d.gated["extend"]
    for signal, (size, v) in zip(lanes.loads, lanes.places, strict=True):
        if size == "w":
            continue
        bits = g.byte * (2 if size == "h" else 1)
        sign = words[bits * (v + 1) - 1]
        n.all_into({out: 1 for out in value[bits:]}, [extend, signal, sign])
