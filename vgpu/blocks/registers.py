"""Registers: one memory, written by the word, read through three ports (layer 1).

Its rows are numbered by register and thread, so lanes share the weights and nothing else. A
fourth port reads the special registers, which load tokens write.
"""

from __future__ import annotations

from dataclasses import dataclass

from vgpu.blocks.decode import Decoded
from vgpu.blocks.front import Word
from vgpu.circuit.form import Form, Operand, Signal, as_form, literal, total
from vgpu.circuit.memory import KeyHead, Mixer, ValueHead, decode, decode_pair, word_bank
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry


@dataclass
class Operands:
    """The three operands; b is the immediate, a register or a special register. c is the value
    of a store."""

    a: list[Signal]
    b: list[Signal]
    c: list[Signal]


def build(n: Netlist, g: Geometry, word: Word, d: Decoded) -> Operands:
    n.block("registers")
    a = [n.signal(f"a{i}") for i in range(g.width)]
    c = [n.signal(f"c{i}") for i in range(g.width)]
    for i, signal in enumerate(c):  # a load token stores its value
        n.select_into(signal, word["mem"][0], word["value"][i])
    b = d.immediate
    data = [bit.form() for bit in word["value"][: g.width]]
    opens = {
        "a": d.line["use_a"] - d.no_a,
        "b": d.line["use_b"] - d.code["bimm"][0],
        "c": d.line["use_c"].form(),
    }
    key = decode_pair(*d.ports["write"])
    writes = word["we"][0] - 1
    heads = []
    for name, signals in (("a", a), ("b", b), ("c", c)):
        outs = [{signal: 1} for signal in signals]
        banks = [
            word_bank(writes + bank, data, as_form(1), opens[name] + bank - 1, outs)
            for bank in d.banks
        ]
        heads.append(KeyHead(name, decode_pair(*d.ports[name]), key, banks))
    heads.append(_special(word, d, data, b, len(key)))
    n.add_mixer(Mixer(heads, len(key), 4 * g.width))
    return Operands(a, b, c)


def _special(word: Word, d: Decoded, data: list[Form], b: list[Signal], rows: int) -> KeyHead:
    """Special registers: written by `special` tokens, read into b by s2r."""
    address: list[Operand] = [*word["addr"][: len(d.special_row)]]
    row_bits = min(rows.bit_length() - 1, len(address))
    open_ = d.line["special"] - d.code["bimm"][0]
    banks: list[ValueHead] = []
    high = len(address) - row_bits
    for bank in range(1 << high):
        written = total(literal(bit, bank >> i & 1) for i, bit in enumerate(address[row_bits:]))
        read = total(literal(bit, bank >> i & 1) for i, bit in enumerate(d.special_row[row_bits:]))
        banks.append(
            word_bank(
                word["special"][0] + written - high,
                data,
                as_form(1),
                open_ + read - high,
                [{signal: 1} for signal in b],
            )
        )
    query = decode([*d.special_row[:row_bits]], 1 << row_bits)
    key = decode(address[:row_bits], 1 << row_bits)
    return KeyHead("special", query, key, banks)
