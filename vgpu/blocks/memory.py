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
from vgpu.circuit.form import Form, Operand, Signal, as_form, literal, number, total
from vgpu.circuit.memory import (
    KeyHead,
    Mixer,
    ValueHead,
    census_bank,
    decode,
    decode_pair,
    key_width_for,
    word_bank,
)
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry

BYTES = 4  # a word


@dataclass
class Access:
    """`outside`, `misaligned`: faults of this access. `loaded`: a load that went well. `locked`: a
    load that also got the hold it asked for."""

    outside: Signal
    misaligned: Signal
    loaded: Form
    locked: Signal


def build(
    n: Netlist, g: Geometry, word: Word, d: Decoded, r: Operands, value: list[Signal]
) -> Access:
    n.block("memory")
    address, carry_out = _address(n, g, r)
    outside, misaligned = _faults(n, g, d, r, address, carry_out)
    null = _null(n, g, address)
    good = [literal(outside, 0), literal(misaligned, 0), *([1 - null] if g.null_bytes else [])]
    rows = _Rows(n, g, word, address)
    holders = _claims(n, g, word, d, rows)
    lanes = _ByteLanes(n, d, address, good)
    # A lane that claims counts itself, so one holder is this lane; claims are made in even passes.
    locked = n.signal("locked")
    claims = total([d.gated["lock"], literal(word["odd"][0], 0), *good]) - (2 + len(good))
    gate = 2 * claims + (2 - holders)
    n.neuron(gate.bounded(gate.lo, 1), {locked: 1})
    lanes.loads.append((locked, "w", 0))
    stored = _aligned(n, g, word, d, r)
    words = _words(n, g, word, lanes, stored, rows)
    _pick(n, g, word, d, lanes, words, value)
    accesses = total([d.gated["load"], d.gated["store"], d.gated["lock"]])
    fault = n.signal("outside.fault")
    n.step_into(fault, 2 * accesses.bounded(0, 1) + outside + null, 3)
    return Access(fault, misaligned, total(signal for signal, _, _ in lanes.loads), locked)


class _Rows:
    """One-hot parts of the word address: low and high halves of the row, bank, lock class."""

    def __init__(self, n: Netlist, g: Geometry, word: Word, address: list[Form]) -> None:
        bits = address[2:]
        row_bits = min(8, len(bits) // 2 * 2)
        half = row_bits // 2
        self.low = n.one_hot("memory.low", bits[:half])
        self.high = n.one_hot("memory.high", bits[half:row_bits])
        token = total([word["exec"][0], word["mem"][0], word["read"][0]])
        self.bank = n.one_hot("memory.bank", bits[row_bits:], [token])
        class_bits = g.lock_classes.bit_length() - 1
        self.more = n.one_hot("memory.class", bits[half:class_bits]) if class_bits > half else []


def _claims(n: Netlist, g: Geometry, word: Word, d: Decoded, rows: _Rows) -> Signal:
    """How many threads hold the address's class, or claim it in this pass up to this lane.

    A claim is a thread's row, written in even passes and withdrawn in odd ones unless it was won:
    then the lane goes on, and the row stays until its `st.unlock`.
    """
    holders = n.signal("holders", 0, g.threads)
    key_width = key_width_for(g.threads + 1, 4 * g.threads)
    even, anchor = literal(word["odd"][0], 0), word["special"][0].form()
    claims = n.all_of("claims", d.gated["lock"], even)
    more_bits: list[Operand] = [*rows.more] or [1]
    pairs = [(low, more) for more in more_bits for low in rows.low]
    classes = [total([low, more, claims]) - 2 for low, more in pairs][: g.lock_classes]
    gates = [total([low, more, claims]) - 2 for low, more in pairs][: g.lock_classes]
    touches = d.gated["lock"] + d.gated["unlock"]
    own = [row + touches - 1 for row in decode([*word["thread"]], g.threads)]
    key = [*own, *[as_form(0)] * (key_width - 1 - len(own)), anchor]
    shape = (key_width, max(16, 2 * g.lock_classes))
    counts = [holders] * len(classes)
    bank = census_bank(touches + anchor, anchor, classes, counts, shape, gates)
    n.add_mixer(Mixer([KeyHead("claims", [as_form(1)] * key_width, key, [bank])], *shape))
    return holders


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


def _null(n: Netlist, g: Geometry, address: list[Form]) -> Form:
    """1 when the address's bits say that it is a null pointer's (whatever those above them say)."""
    if not g.null_bytes:
        return as_form(0)
    above = address[g.null_bytes.bit_length() - 1 :]
    return n.all_of("null", *[1 - bit for bit in above]).form()


class _ByteLanes:
    """Which bytes of the word an access touches: one signal for each size and place.

    `loads` and `stores` are off when the access faults (some `good` is 0) or the lane does not act.
    """

    def __init__(self, n: Netlist, d: Decoded, address: list[Form], good: list[Form]) -> None:
        low, high = address[0], address[1]
        places = [("w", 0), *(("h", v) for v in range(2)), *(("b", v) for v in range(BYTES))]
        self.loads: list[tuple[Signal, str, int]] = []
        self.stores: list[tuple[Signal, str, int]] = []
        for what, made in (("load", self.loads), ("store", self.stores)):
            for size, v in places:
                spelled: list[Form] = {
                    "w": [],
                    "h": [literal(high, v)],
                    "b": [literal(low, v & 1), literal(high, v >> 1)],
                }[size]
                acts = [d.gated[what], d.gated[f"size_{size}"]]
                signal = n.all_of(f"{what}.{size}{v}", *acts, *spelled, *good)
                made.append((signal, size, v))

    def stored(self, byte: int) -> Form:
        """1 when a store covers that byte of the word."""
        parts = [
            signal
            for signal, size, v in self.stores
            if v == {"w": 0, "h": byte // 2, "b": byte}[size]
        ]
        return total(parts).bounded(0, 1)

    def source(self, byte: int, out: int) -> Form:
        """1 when a load puts that byte of the word into byte `out` of the result."""
        parts = [
            signal
            for signal, size, v in self.loads
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
    rows: _Rows,
) -> list[Signal]:
    """The memory itself: the word at the address, as it is after this token's store."""
    out = [n.signal(f"memory{i}") for i in range(g.width)]
    pairs = decode_pair(rows.low, rows.high)
    valid = as_form(1)
    heads: list[ValueHead] = []
    for bank in rows.bank:
        for place in range(BYTES):
            at = slice(place * g.byte, (place + 1) * g.byte)
            write = lanes.stored(place) + word["mem"][0] + bank - 1
            outs = [{signal: 1} for signal in out[at]]
            heads.append(word_bank(write, stored[at], valid, bank, outs))
    n.add_mixer(Mixer([KeyHead("memory", pairs, pairs, heads)], len(pairs), 4 * g.byte))
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
    for signal, size, v in lanes.loads:
        if size == "w":
            continue
        bits = g.byte * (2 if size == "h" else 1)
        sign = words[bits * (v + 1) - 1]
        n.all_into({out: 1 for out in value[bits:]}, [extend, signal, sign])
