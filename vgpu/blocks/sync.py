"""Synchronisation: what lanes know of each other (layer 2).

Three memories that every lane writes as it goes by. A lane sees the lanes below it as they are in
this pass and those above as they were in the last one:

- the block's census counts the threads that run before, or wait at, each barrier (modulo 4);
- the warp's census, asked through a lane mask, counts the lanes that have not come to any meeting,
  and those at each meeting (see `isa.MEETING`), and gives each lane's vote as a bit;
- the exchange holds the value each lane brought to a shuffle.

A lane arrives in one pass and goes on in a later one, when nobody it waits for is late. The last to
arrive at a block's barrier passes at once; epochs keep it apart from those still waiting. At a
warp's meeting point nobody passes at once: a lane that is seen as waiting is then either waiting
here or has only just gone on, and no epochs are needed. A lane at another meeting is late: it may
be there with others of a smaller mask.
"""

from __future__ import annotations

from dataclasses import dataclass

from vgpu import isa
from vgpu.blocks.decode import Decoded
from vgpu.blocks.front import Front, Word
from vgpu.blocks.registers import Operands
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


@dataclass
class Sync:
    """`passes_block`, `passes_warp`: the lane goes on. `waits`: it stays, at either."""

    passes_block: Signal
    passes_warp: Signal
    waits: Form


def build(
    n: Netlist, g: Geometry, word: Word, f: Front, d: Decoded, r: Operands, value: list[Signal]
) -> Sync:
    """Adds what a shuffle or a vote brought to `value`."""
    n.block("sync")
    at_block = _at(n, f, d, "barrier")
    at_warp = _at(n, f, d, "warp")
    late_run = [n.signal(f"late_run{e}", 0, g.threads) for e in range(4)]
    late_wait = [n.signal(f"late_wait{e}", 0, g.threads) for e in range(4)]
    away = n.signal("away", 0, g.lanes)
    met = [n.signal(f"met{m}", 0, g.lanes) for m in range(isa.MEETINGS)]
    brought = [n.signal(f"brought{i}") for i in range(g.width)]
    key_width = key_width_for(g.threads + 1, 4 * g.threads)
    shape = (max(key_width, key_width_for(_lit(g) + g.lanes)), 4 * g.width)
    heads = [
        _block(g, word, f, at_block, [*late_run, *late_wait], shape),
        _warp(n, g, word, f, d, r, at_warp, [away, *met], brought, shape),
        _exchange(n, g, word, f, d, r, brought),
    ]
    n.add_mixer(Mixer(heads, *shape))
    passes_block = n.signal("barrier.pass")
    most = 2 * g.threads
    for e in range(4):
        late = total([late_run[e], late_run[e - 1], late_wait[e - 1]])
        here: list[Operand] = [literal(b, e >> i & 1) for i, b in enumerate(word["epoch"])]
        gate = most * (total([*here, at_block]) - 3) - late + 1
        n.neuron(gate.bounded(gate.lo, 1), {passes_block: 1})
    passes_warp = n.signal("warp.pass")
    for m in range(isa.MEETINGS):
        late = total([away, *met[:m], *met[m + 1 :]])
        named = total([f.waiting, at_warp, *_meeting(d, m)])
        gate = g.lanes * (named - 2 - isa.MEETING.width) - late + 1
        n.neuron(gate.bounded(gate.lo, 1), {passes_warp: 1})
    for out, bit in zip(value, brought, strict=True):
        n.select_into(out, passes_warp, bit)
    waits = total([at_block, at_warp]) - passes_block - passes_warp
    return Sync(passes_block, passes_warp, waits.bounded(0, 1))


def _at(n: Netlist, f: Front, d: Decoded, line: str) -> Signal:
    """The lane arrives at, or waits at, an instruction with that line."""
    here = n.signal(f"at.{line}")
    n.all_into(here, [d.line[line], d.act])
    n.all_into(here, [d.line[line], f.waiting])
    return here


def _meeting(d: Decoded, number: int) -> list[Form]:
    """Literals of the instruction's bits that hold when its meeting has that number."""
    bits = d.code["imm"][isa.MEETING.low :][: isa.MEETING.width]
    return [literal(bit, number >> i & 1) for i, bit in enumerate(bits)]


def _block(
    g: Geometry,
    word: Word,
    f: Front,
    at_block: Signal,
    counts: list[Signal],
    shape: tuple[int, int],
) -> KeyHead:
    """Each thread's row holds its state; writing a special register writes the anchor row."""
    announces: Form = word["exec"][0] + word["start"][0]
    anchor = word["special"][0].form()
    rows = [row + announces - 1 for row in decode([*word["thread"]], g.threads)]
    key = [*rows, *[as_form(0)] * (shape[0] - 1 - len(rows)), anchor]
    classes = []
    for state in (f.alive - at_block, at_block.form()):
        for e in range(4):
            bits: list[Operand] = [literal(b, e >> i & 1) for i, b in enumerate(word["epoch"])]
            classes.append(total([*bits, state]) - 2)
    bank = census_bank(announces + anchor, anchor, classes, counts, shape)
    return KeyHead("block census", [as_form(1)] * shape[0], key, [bank])


def _lit(g: Geometry) -> int:
    """Rows that a warp's query lights: one of each pair, and constants up to a power of four."""
    return key_width_for(g.lanes + 1, 4 * g.lanes)


def _warp(
    n: Netlist,
    g: Geometry,
    word: Word,
    f: Front,
    d: Decoded,
    r: Operands,
    at_warp: Signal,
    seen: list[Signal],
    brought: list[Signal],
    shape: tuple[int, int],
) -> KeyHead:
    """Row i is lane i. The query lights row i, or an empty row for it, so that the number of lit
    rows does not depend on the mask; a bank a warp."""
    lanes = g.lanes
    lane, warp = word["thread"][: g.lane_bits], word["thread"][g.lane_bits :]
    mask = r.c[:lanes]
    fill = _lit(g) - lanes
    query = [*(bit.form() for bit in mask), *(1 - bit for bit in mask), *[as_form(1)] * fill]
    announces: Form = word["exec"][0] + word["start"][0]
    anchor = word["special"][0].form()
    rows = [row + announces - 1 for row in decode([*lane], lanes)]
    key = [*rows, *[as_form(0)] * (len(query) - 1 - lanes), anchor]
    votes = n.signal("votes")
    n.all_into(votes, [d.line["vote"], d.act, d.q])
    n.all_into(votes, [d.line["vote"], f.waiting, d.q])
    asks = n.all_of("asks.vote", d.line["vote"], f.waiting)
    ballots = [
        total([votes, *(literal(b, i >> k & 1) for k, b in enumerate(lane))]) - len(lane)
        for i in range(lanes)
    ]
    meets = [total([at_warp, *_meeting(d, m)]) - isa.MEETING.width for m in range(isa.MEETINGS)]
    classes = [f.alive - at_warp, *meets, *ballots]
    banks = []
    for number in range(g.warps):
        here = total(literal(b, number >> k & 1) for k, b in enumerate(warp)) - len(warp)
        write = announces + here + (len(warp) + 1) * anchor  # the anchor in every warp's bank
        gates = [*[as_form(1) + here] * len(seen), *[asks + here] * lanes]
        counts = [*seen, *brought[:lanes]]
        banks.append(census_bank(write, anchor, classes, counts, shape, gates))
    return KeyHead("warp census", query, key, banks)


def _exchange(
    n: Netlist,
    g: Geometry,
    word: Word,
    f: Front,
    d: Decoded,
    r: Operands,
    brought: list[Signal],
) -> KeyHead:
    lane, warp = word["thread"][: g.lane_bits], word["thread"][g.lane_bits :]
    brings = n.all_of("brings", d.line["shfl"], d.act)
    takes = n.all_of("takes", d.line["shfl"], f.waiting)
    banks: list[ValueHead] = []
    for number in range(g.warps):
        here = total(literal(b, number >> k & 1) for k, b in enumerate(warp)) - len(warp)
        outs = [{signal: 1} for signal in brought]
        data = [bit.form() for bit in r.a]
        banks.append(word_bank(brings + here, data, as_form(1), takes + here, outs))
    query = decode([*r.b[: g.lane_bits]], g.lanes)
    return KeyHead("exchange", query, decode([*lane], g.lanes), banks)
