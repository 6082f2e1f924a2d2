"""Control: the next word. Next pc, the thread's state, predicates, faults."""

from __future__ import annotations

from vgpu.blocks.decode import Decoded
from vgpu.blocks.front import Front, Word
from vgpu.blocks.memory import Access
from vgpu.blocks.registers import Operands
from vgpu.blocks.sync import Sync
from vgpu.circuit.form import Form, Operand, Signal, as_form, literal, total
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry
from vgpu.word import KINDS, VALUE_BITS


def build(
    n: Netlist,
    g: Geometry,
    word: Word,
    f: Front,
    d: Decoded,
    r: Operands,
    access: Access,
    sync: Sync,
    value: list[Signal],
    predicate: Signal,
) -> None:
    """Declares every output bit, in the order of the word's layout."""
    n.block("control")
    past = sync.passes_block
    goes_on = (past + sync.passes_warp).bounded(0, 1)
    far, taken = _branch(n, g, d, r)
    f_addr = (access.outside + far).bounded(0, 1)
    f_align = access.misaligned
    both = n.all_of("fault.both", access.outside, f_align)
    accessed_badly = (access.outside + f_align - both).bounded(0, 1)
    stops = total([d.gated["exit"], d.gated["trap"], d.undefined, far, accessed_badly])
    bits: dict[str, list[Operand]] = {kind: list(word[kind]) for kind in KINDS}
    bits["thread"] = list(word["thread"])
    # A lane that waits runs again when it goes on; one that runs and does not pass begins to wait.
    goes = n.all_of("goes_on", f.waiting, goes_on)
    begins = n.all_of("begins", f.running, sync.waits)
    advance = n.signal("advance")
    stays = total([d.gated["branch"], d.gated["lock"], begins, stops]) - access.locked
    n.neuron((f.running + goes - stays).bounded(-9, 1), {advance: 1})
    bits["addr"] = _next_address(n, g, word, d, r, advance, taken)
    bits["value"] = [*value, *[0] * (VALUE_BITS - len(value))]
    bits["rd"] = list(d.code["rd"][: g.register_bits])
    brings = n.all_of("warp.writes", sync.passes_warp, d.line["warp_writes"])
    bits["we"] = [d.gated["writes_register"] + access.loaded + brings]
    bits["preds"] = _predicates(n, g, word, d, predicate)
    bits["run"] = [word["run"][0] - stops - begins + goes]
    bits["wait"] = [word["wait"][0] - goes + begins]
    bits["epoch"] = _epoch(n, word, past.form())
    toggles = n.all_of("toggles", word["exec"][0], word["odd"][0])
    bits["odd"] = [word["odd"][0] + word["exec"][0] - 2 * toggles]
    bits["f_addr"], bits["f_align"] = [f_addr], [f_align]
    bits["f_op"], bits["f_trap"] = [d.undefined], [d.gated["trap"]]
    for name in word:
        for i, bit in enumerate(bits[name]):
            n.output(f"{name}[{i}]", as_form(bit).bounded(0, 1))


def _branch(n: Netlist, g: Geometry, d: Decoded, r: Operands) -> tuple[Signal, Form]:
    """`far`: the target lies past the last instruction (a fault); `taken`: it does not."""
    branch, high = d.gated["branch"], r.b[g.pc_bits :]
    far = n.signal("branch.far")
    n.step_into(far, len(high) * branch + total(high), len(high) + 1)
    return far, (branch - far).bounded(0, 1)


def _next_address(
    n: Netlist,
    g: Geometry,
    word: Word,
    d: Decoded,
    r: Operands,
    advance: Signal,
    taken: Form,
) -> list[Operand]:
    result: list[Operand] = []
    for i, bit in enumerate(word["addr"]):
        if i >= g.pc_bits:
            result.append(bit)
            continue
        change = n.signal(f"pc.change{i}", -1, 1)
        n.neuron(advance, {change: 1}, d.next_pc[i] - bit)
        n.neuron(taken, {change: 1}, r.b[i] - bit)
        result.append(bit + change)
    return result


def _predicates(
    n: Netlist, g: Geometry, word: Word, d: Decoded, predicate: Signal
) -> list[Operand]:
    result: list[Operand] = []
    for i, old in enumerate(word["preds"]):
        chosen = n.signal(f"writes.p{i}")
        for line, field in (("writes_predicate", "rd"), ("writes_carry", "rc")):
            spelled = [literal(bit, i >> k & 1) for k, bit in enumerate(d.code[field][:3])]
            n.all_into(chosen, [d.gated[line], *spelled])
        change = n.signal(f"p{i}.change", -1, 1)
        n.neuron(chosen, {change: 1}, predicate - old)
        result.append(old + change)
    return result


def _epoch(n: Netlist, word: Word, past: Form) -> list[Operand]:
    """The epoch, one more modulo 4 when the lane got past a barrier."""
    low, high = word["epoch"]
    carry = n.all_of("epoch.carry", low, past)
    flips = n.all_of("epoch.carry2", low, past, high)
    return [low + past - 2 * carry, high + carry - 2 * flips]
