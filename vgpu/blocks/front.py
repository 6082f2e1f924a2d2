"""Front: the word's fields, instruction fetch and the barrier's view of all threads (layer 0)."""

from __future__ import annotations

from dataclasses import dataclass

from vgpu.circuit.form import Form, Operand, Signal, as_form, literal, total
from vgpu.circuit.memory import (
    KeyHead,
    Mixer,
    ValueHead,
    census_bank,
    decode,
    key_width_for,
    word_bank,
)
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry
from vgpu.word import layout

Word = dict[str, list[Signal]]
HALF = 32  # bits a value head of the program memory holds


@dataclass
class Front:
    """`code`: the 64 instruction bits, all 0 unless the lane runs. `running`: it does.
    `late_run[e]`, `late_wait[e]`: how many threads run before, or wait at, barrier e (mod 4)."""

    code: list[Signal]
    running: Form
    late_run: list[Signal]
    late_wait: list[Signal]


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
    running_now: Form = word["exec"][0] + word["run"][0] - 1
    anchor_rows = g.threads + 1
    key_width = max(key_width_for(g.instructions), key_width_for(anchor_rows, 4 * g.threads))
    pc = word["addr"][: g.pc_bits]
    late_run = [n.signal(f"late_run{e}", 0, g.threads) for e in range(4)]
    late_wait = [n.signal(f"late_wait{e}", 0, g.threads) for e in range(4)]
    heads = [
        _program(g, word, pc, code, running_now, key_width),
        _census(g, word, late_run, late_wait, (key_width, 4 * HALF)),
    ]
    n.add_mixer(Mixer(heads, key_width, 4 * HALF))
    running = n.all_of("running", word["exec"][0], word["run"][0])
    return Front(code, running.form(), late_run, late_wait)


def _program(
    g: Geometry, word: Word, pc: list[Signal], code: list[Signal], running: Form, key_width: int
) -> KeyHead:
    """Row: low bits of the address. Two value heads a bank, one for each half of the word."""
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
            heads.append(
                word_bank(word[kind][0] + chosen, data, as_form(1), running + chosen, outs)
            )
    return KeyHead("program", rows, rows, heads)


def _census(
    g: Geometry,
    word: Word,
    late_run: list[Signal],
    late_wait: list[Signal],
    shape: tuple[int, int],
) -> KeyHead:
    """Each thread's row holds its state; writing special registers writes the anchor row."""
    key_width = shape[0]
    announces: Form = word["exec"][0] + word["start"][0]
    anchor = word["special"][0].form()
    key = [row + announces - 1 for row in decode([*word["thread"]], g.threads)]
    key += [as_form(0)] * (key_width - 1 - len(key)) + [anchor]
    classes = []
    for state in ("run", "wait"):
        for e in range(4):
            bits: list[Operand] = [literal(b, e >> i & 1) for i, b in enumerate(word["epoch"])]
            classes.append(total([*bits, word[state][0], announces]) - 3)
    bank = census_bank(announces + anchor, anchor, classes, [*late_run, *late_wait], shape)
    return KeyHead("census", [as_form(1)] * key_width, key, [bank])
