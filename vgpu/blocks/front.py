"""Front: the word's fields and instruction fetch (layer 0)."""

from __future__ import annotations

from dataclasses import dataclass

from vgpu.circuit.form import Form, Signal, as_form, literal, total
from vgpu.circuit.memory import KeyHead, Mixer, ValueHead, decode, key_width_for, word_bank
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry
from vgpu.word import layout

Word = dict[str, list[Signal]]
HALF = 32  # bits a value head of the program memory holds


@dataclass
class Front:
    """`code`: the 64 instruction bits, all 0 unless the lane runs or waits. `running`, `waiting`:
    it does. `alive`: either, or it is being started."""

    code: list[Signal]
    running: Signal
    waiting: Signal
    alive: Signal


def word(n: Netlist, g: Geometry) -> Word:
    """One input signal a bit, in the order of the layout."""
    n.block("word")
    return {
        name: [n.input(f"in.{name}{i if width > 1 else ''}") for i in range(width)]
        for name, width in layout(g).widths.items()
    }


def build(n: Netlist, g: Geometry, word: Word) -> Front:
    n.block("fetch")
    code = [n.signal(f"code{i}") for i in range(2 * HALF)]
    lane, run, wait = word["exec"][0], word["run"][0], word["wait"][0]
    key_width = key_width_for(g.instructions)
    head = _program(g, word, code, lane + run + wait - 1, key_width)
    n.add_mixer(Mixer([head], key_width, 4 * HALF))
    running = n.all_of("running", lane, run)
    waiting = n.all_of("waiting", lane, wait)
    alive = n.signal("alive")
    for literals in ([lane, run], [lane, wait], [word["start"][0], run]):
        n.all_into(alive, literals)
    return Front(code, running, waiting, alive)


def _program(g: Geometry, word: Word, code: list[Signal], live: Form, key_width: int) -> KeyHead:
    """Row: low bits of the address. Two value heads a bank, one for each half of the word."""
    pc = word["addr"][: g.pc_bits]
    row_bits = min(key_width.bit_length() - 1, g.pc_bits)
    rows = decode([*pc[:row_bits]], 1 << row_bits)
    bank_bits = pc[row_bits:]
    data = [bit.form() for bit in word["value"]]
    heads: list[ValueHead] = []
    for bank in range(1 << len(bank_bits)):
        here = total(literal(bit, bank >> i & 1) for i, bit in enumerate(bank_bits))
        chosen = here - len(bank_bits)
        for half, kind in enumerate(("prog_lo", "prog_hi")):
            outs = [{code[HALF * half + i]: 1} for i in range(HALF)]
            heads.append(word_bank(word[kind][0] + chosen, data, as_form(1), live + chosen, outs))
    return KeyHead("program", rows, rows, heads)
