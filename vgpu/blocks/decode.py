"""Decode: opcode lines, guard, source predicates, operand addresses, immediate, pc (layer 0)."""

from __future__ import annotations

from dataclasses import dataclass

from vgpu import isa
from vgpu.blocks.front import Front, Word
from vgpu.circuit.form import Form, Operand, Signal, as_form, literal
from vgpu.circuit.netlist import Netlist
from vgpu.geometry import Geometry


class Gated:
    """`gated[name]`: the opcode's line `name`, and the lane acts (runs and its guard holds)."""

    def __init__(self, n: Netlist, line: dict[str, Signal], act: Form) -> None:
        self._n, self._line, self._act = n, line, act
        self._made: dict[str, Signal] = {}

    def __getitem__(self, name: str) -> Signal:
        if name not in self._made:
            self._made[name] = self._n.all_of(f"{name}.gated", self._line[name], self._act)
        return self._made[name]


@dataclass
class Decoded:
    """`line[name]`: 1 when the opcode switches `name` on. `act`: the lane runs and its guard holds;
    `gated[name]`: both. `q`, `r`: the source predicates."""

    line: dict[str, Signal]
    gated: Gated
    act: Form
    undefined: Signal
    no_a: Signal
    q: Signal
    r: Signal
    code: dict[str, list[Signal]]
    immediate: list[Signal]
    next_pc: list[Form]
    ports: dict[str, tuple[list[Signal], list[Signal]]]
    banks: list[Signal]
    special_row: list[Form]


def lines_of(op: isa.Op) -> list[str]:
    """Every line of an opcode: those of the table and those that follow from its operands."""
    lines = list(op.lines)
    lines += ["use_a"] if op.reads_a else []
    lines += ["use_b"] if op.reads_b else []
    lines += ["use_c"] if op.reads_c else []
    if op.writes_register and not op.is_load and "warp" not in op.lines:
        lines.append("writes_register")
    if op.writes_predicate:
        lines.append("writes_predicate")
    if op.writes_carry:
        lines.append("writes_carry")
    if "compare" in op.lines or op.name == "sub":
        lines.append("invert")
    return [*dict.fromkeys(lines), "defined"]


def build(n: Netlist, g: Geometry, word: Word, front: Front) -> Decoded:
    n.block("decode")
    code = {
        name: front.code[field.low : field.low + field.width] for name, field in isa.FIELDS.items()
    }
    line = _opcode_lines(n, code["op"])
    no_a = n.all_of("no_a", code["qneg"][0], literal(code["op"][6], 0))
    act = _guard(n, word, code, front.running)
    q = _chosen_predicate(n, "q", word, code["q"], code["qneg"][0])
    r = _chosen_predicate(n, "r", word, front.code[isa.PLOP_R.low :][: isa.PLOP_R.width], None)
    ports, banks = _register_addresses(n, g, word, code)
    immediate = _immediate(n, g, word, code)
    special_row = _special_row(n, g, word, code)
    next_pc = _next_pc(n, g, word)
    gated = Gated(n, line, act)
    undefined = n.all_of("undefined", front.running, literal(line["defined"], 0))
    return Decoded(
        line, gated, act, undefined, no_a, q, r, code, immediate, next_pc, ports, banks, special_row
    )


def _opcode_lines(n: Netlist, opcode: list[Signal]) -> dict[str, Signal]:
    """One neuron an opcode drives all of its lines."""
    names = dict.fromkeys(name for op in isa.OPS.values() for name in lines_of(op))
    line = {name: n.signal(f"line.{name}") for name in names}
    for op in isa.OPS.values():
        spelled = [literal(bit, op.code >> i & 1) for i, bit in enumerate(opcode)]
        n.all_into({line[name]: 1 for name in lines_of(op)}, spelled)
    return line


def _guard(n: Netlist, word: Word, code: dict[str, list[Signal]], running: Signal) -> Form:
    """act = running and (not guarded or the chosen predicate, negated if asked, holds)."""
    fails = n.signal("guard_fails")
    guarded, negated = code["guarded"][0], code["gneg"][0]
    for i, predicate in enumerate(word["preds"]):
        chosen = [literal(bit, i >> k & 1) for k, bit in enumerate(code["guard"])]
        here: list[Operand] = [word["exec"][0], word["run"][0], guarded, *chosen]
        n.all_into(fails, [*here, literal(negated, 0), literal(predicate, 0)])
        n.all_into(fails, [*here, negated, predicate])
    return (running - fails).bounded(0, 1)


def _chosen_predicate(
    n: Netlist, name: str, word: Word, index: list[Signal], negated: Signal | None
) -> Signal:
    value = n.signal(f"predicate.{name}")
    for i, predicate in enumerate(word["preds"]):
        chosen = [literal(bit, i >> k & 1) for k, bit in enumerate(index)]
        if negated is None:
            n.all_into(value, [predicate, *chosen])
        else:
            n.all_into(value, [predicate, literal(negated, 0), *chosen])
            n.all_into(value, [literal(predicate, 0), negated, *chosen])
    return value


def _register_addresses(
    n: Netlist, g: Geometry, word: Word, code: dict[str, list[Signal]]
) -> tuple[dict[str, tuple[list[Signal], list[Signal]]], list[Signal]]:
    """One-hot halves of each port's row (register, then low thread bits) and of the bank.

    The write port takes its register from the word, the read ports from the instruction.
    """
    row_bits = min(8, g.register_bits + g.thread_bits)
    if row_bits % 2:
        row_bits -= 1  # the key width is a power of four
    low = row_bits // 2
    thread_bits = row_bits - g.register_bits
    sources = {
        "write": word["rd"],
        "a": code["ra"][: g.register_bits],
        "b": code["imm"][: g.register_bits],
        "c": code["rc"][: g.register_bits],
    }
    ports = {}
    for name, register in sources.items():
        bits = [*register, *word["thread"][:thread_bits]]
        ports[name] = (
            n.one_hot(f"row_{name}.low", bits[:low]),
            n.one_hot(f"row_{name}.high", bits[low:]),
        )
    return ports, n.one_hot("bank", word["thread"][thread_bits:], [word["exec"][0]])


def _immediate(n: Netlist, g: Geometry, word: Word, code: dict[str, list[Signal]]) -> list[Signal]:
    """B, as far as it does not come from a register: the immediate, or a load token's address."""
    b = [n.signal(f"b{i}") for i in range(g.width)]
    for i, signal in enumerate(b):
        n.select_into(signal, code["bimm"][0], code["imm"][i])
        if i < g.address_bits:
            n.select_into(signal, word["mem"][0] + word["read"][0], word["addr"][i])
    return b


def _special_row(n: Netlist, g: Geometry, word: Word, code: dict[str, list[Signal]]) -> list[Form]:
    """The special register's row: see `Geometry.special_row`."""
    index, own = code["imm"][:4], code["imm"][4]
    row: list[Form] = [bit.form() for bit in index[:3]]
    for i in range(3, g.special_bits - 1):
        bit = n.signal(f"special.row{i}")
        if i < len(index):
            n.all_into(bit, [literal(own, 0), index[i]])
        if i - 3 < g.thread_bits:
            n.all_into(bit, [own, word["thread"][i - 3]])
        row.append(bit.form())
    return [*row, own.form()]


def _next_pc(n: Netlist, g: Geometry, word: Word) -> list[Form]:
    """pc + 1 modulo the number of instructions: bit i flips when all lower bits are 1."""
    pc = word["addr"][: g.pc_bits]
    flips: list[Form] = [as_form(1), pc[0].form()]
    for i in range(2, g.pc_bits + 1):
        flips.append(n.all_of(f"pc_carry{i}", *pc[:i]).form())
    return [(pc[i] + flips[i] - 2 * flips[i + 1]).bounded(0, 1) for i in range(g.pc_bits)]
