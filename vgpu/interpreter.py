"""The reference interpreter: what every instruction and every word means, in plain Python.

It is the executable specification that the network is checked against, and never the source
of an answer. `Interpreter.step` takes and gives words like the engines do; lanes are resolved
in order, each seeing what the lanes before it wrote in the same pass.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vgpu import isa
from vgpu.geometry import DEFAULT, Geometry
from vgpu.word import FAULTS, Bits, layout


class Interpreter:
    """One machine's state: registers, program, memory, special registers, barrier census."""

    name = "interpreter"

    def __init__(self, geometry: Geometry = DEFAULT) -> None:
        self.geometry = geometry
        self.layout = layout(geometry)
        self.reset()

    def reset(self) -> None:
        g = self.geometry
        self.registers = [[0] * g.registers for _ in range(g.threads)]
        self.program = [0] * g.instructions
        self.memory = [0] * g.memory_bytes
        self.specials = [0] * (1 << g.special_bits)
        # The state each thread last announced: "run", "wait" or "" and its barrier epoch.
        self.census = [("", 0)] * g.threads

    def step(self, words: Bits) -> Bits:
        """One pass. `words` uint8 [n, bits] → uint8 [n, bits]."""
        names = list(self.layout.widths)
        columns = self.layout.unpack(words)
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        results = [self._word(dict(zip(names, row, strict=True))) for row in rows]
        stacked = {name: np.array([r[name] for r in results], dtype=np.int64) for name in names}
        return self.layout.pack(len(results), **stacked)

    def _word(self, w: dict[str, int]) -> dict[str, int]:
        out = dict(w, value=0, rd=0, we=0, **dict.fromkeys(FAULTS, 0))
        if w["exec"]:
            if w["we"]:
                self.registers[w["thread"]][w["rd"]] = w["value"] & self.geometry.mask
            self._announce(w)
            if w["run"]:
                self._execute(w, out)
            elif w["wait"] and self._blockers(w["epoch"]) == 0:
                out.update(wait=0, run=1, epoch=(w["epoch"] + 1) % 4, addr=self._next(w["addr"]))
        elif w["start"]:
            self._announce(w)
        elif w["prog_lo"] or w["prog_hi"]:
            self._load_half(w["addr"] % self.geometry.instructions, w["value"], w["prog_hi"])
        elif w["mem"]:
            self._store(w["addr"] & ~3, 4, w["value"] & self.geometry.mask)
        elif w["read"]:
            out["value"] = self._load(w["addr"] & ~3, 4)
        elif w["special"]:
            self.specials[w["addr"] % len(self.specials)] = w["value"] & self.geometry.mask
        return out

    def _next(self, pc: int) -> int:
        return (pc + 1) % self.geometry.instructions

    def _load_half(self, at: int, value: int, high: int) -> None:
        old = self.program[at]
        self.program[at] = (old & isa.MASK32) | (value << 32) if high else (old >> 32 << 32) | value

    # Barriers: epochs count modulo 4, because no thread is ever two barriers ahead.
    def _announce(self, w: dict[str, int]) -> None:
        state = "run" if w["run"] else "wait" if w["wait"] else ""
        self.census[w["thread"]] = (state, w["epoch"])

    def _blockers(self, epoch: int) -> int:
        """Threads that have not yet reached barrier `epoch`."""
        late = {("run", epoch), ("run", (epoch - 1) % 4), ("wait", (epoch - 1) % 4)}
        return sum(state in late for state in self.census)

    # Memory: little-endian, four bytes a word.
    def _load(self, address: int, size: int) -> int:
        byte = self.geometry.byte
        return sum(self.memory[address + i] << (byte * i) for i in range(size))

    def _store(self, address: int, size: int, value: int) -> None:
        byte = self.geometry.byte
        for i in range(size):
            self.memory[address + i] = (value >> (byte * i)) & ((1 << byte) - 1)

    def _execute(self, w: dict[str, int], out: dict[str, int]) -> None:
        g, pc = self.geometry, w["addr"] % self.geometry.instructions
        word = self.program[pc]
        out["rd"] = isa.FIELDS["rd"].get(word) % g.registers
        instruction = isa.decode(word)
        if instruction is None:
            out.update(run=0, f_op=1)
            return
        out["addr"] = self._next(pc)
        preds = [(w["preds"] >> i) & 1 for i in range(g.predicates)]
        if instruction.guard is not None and preds[instruction.guard] == instruction.gneg:
            return
        op = isa.OPS[instruction.op]
        registers = self.registers[w["thread"]]
        reads_a = op.reads_a and instruction.ra is not None
        a = registers[(instruction.ra or 0) % g.registers] if reads_a else 0
        c = registers[instruction.rc % g.registers] if op.reads_c else 0
        b = instruction.b & g.mask
        if not instruction.bimm:
            b = registers[instruction.b % g.registers] if op.reads_b else 0
        if op.is_load or op.is_store:
            self._access(op, (a + b) & g.mask, c, out)
        elif op.name == "s2r" and instruction.bimm:
            out.update(value=b, we=1)
        elif op.name == "s2r":
            row = g.special_row(instruction.b, w["thread"])
            out.update(value=self.specials[row], we=1)
        elif op.writes_predicate or op.name == "selp":
            q = preds[instruction.q] ^ instruction.qneg if op.reads_q else 0
            if op.name == "selp":
                out.update(value=a if q else b, we=1)
                return
            r = preds[isa.PLOP_R.get(instruction.b)]
            table = isa.PLOP_TABLE.get(instruction.b)
            holds = (table >> (2 * q + r)) & 1 if op.name == "plop" else self._compare(op, a, b)
            target = 1 << (instruction.rd % g.predicates)
            out["preds"] = w["preds"] | target if holds else w["preds"] & ~target
        elif op.writes_register:
            out.update(value=ALU[op.name](g.width, a, b, c) & g.mask, we=1)
        else:
            self._control(op.name, b, w, out)

    def _access(self, op: isa.Op, address: int, c: int, out: dict[str, int]) -> None:
        size = 1 if "size_b" in op.lines else 2 if "size_h" in op.lines else 4
        outside = address >= self.geometry.memory_bytes
        misaligned = address % size != 0
        if outside or misaligned:
            out.update(run=0, f_addr=int(outside), f_align=int(misaligned))
            out["addr"] = (out["addr"] - 1) % self.geometry.instructions
        elif op.is_store:
            self._store(address, size, c)
        else:
            value, bits = self._load(address, size), size * self.geometry.byte
            if "extend" in op.lines and value >> (bits - 1):
                value |= self.geometry.mask >> bits << bits
            out.update(value=value, we=1)

    def _compare(self, op: isa.Op, a: int, b: int) -> bool:
        if "signed" in op.lines:
            a, b = signed(a, self.geometry.width), signed(b, self.geometry.width)
        relation = op.name.split(".")[1]
        return COMPARE[relation](a, b)

    def _control(self, name: str, b: int, w: dict[str, int], out: dict[str, int]) -> None:
        pc = w["addr"] % self.geometry.instructions
        if name == "bra":
            if b >= self.geometry.instructions:
                out.update(run=0, f_addr=1, addr=pc)
            else:
                out["addr"] = b
        elif name == "exit":
            out.update(run=0, addr=pc)
        elif name == "trap":
            out.update(run=0, f_trap=1, addr=pc, value=b)
        elif self._blockers(w["epoch"]) == 1:  # bar: the last to arrive passes at once
            out["epoch"] = (w["epoch"] + 1) % 4
        else:
            out.update(run=0, wait=1, addr=pc)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _sar(width: int, a: int, b: int) -> int:
    return signed(a, width) >> min(b, width)


COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}

# One line an instruction: (width, a, b, c) → d, before truncation to the register's width.
ALU: dict[str, Callable[[int, int, int, int], int]] = {
    "mov": lambda w, a, b, c: b,
    "add": lambda w, a, b, c: a + b,
    "sub": lambda w, a, b, c: a - b,
    "mul": lambda w, a, b, c: a * b,
    "mad": lambda w, a, b, c: a * b + c,
    "mulhi.u": lambda w, a, b, c: a * b >> w,
    "mulhi.s": lambda w, a, b, c: signed(a, w) * signed(b, w) >> w,
    "and": lambda w, a, b, c: a & b,
    "or": lambda w, a, b, c: a | b,
    "xor": lambda w, a, b, c: a ^ b,
    "not": lambda w, a, b, c: ~b,
    "shl": lambda w, a, b, c: a << b if b < w else 0,
    "shr": lambda w, a, b, c: a >> b if b < w else 0,
    "sar": lambda w, a, b, c: _sar(w, a, b),
    "min.s": lambda w, a, b, c: min(signed(a, w), signed(b, w)),
    "min.u": lambda w, a, b, c: min(a, b),
    "max.s": lambda w, a, b, c: max(signed(a, w), signed(b, w)),
    "max.u": lambda w, a, b, c: max(a, b),
}
