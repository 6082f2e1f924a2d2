"""The reference interpreter: what every instruction and every word means, in plain Python.

It is the executable specification that the network is checked against, and never the source
of an answer. `Interpreter.step` takes and gives words like the engines do; lanes are resolved
in order, each seeing what the lanes before it wrote in the same pass.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

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
        widths, offsets = self.layout.widths, self.layout.offsets
        self.fields = {name: (offsets[name], (1 << widths[name]) - 1) for name in widths}
        self.reset()

    def reset(self) -> None:
        g = self.geometry
        self.registers = [[0] * g.registers for _ in range(g.threads)]
        self.program = [0] * g.instructions
        self.memory = [0] * g.memory_bytes
        self.specials = [0] * (1 << g.special_bits)
        # What each thread announced in its last word: "run", "wait" (at the block's barrier) or
        # "", and its barrier epoch; and to its warp: where it is ("run", its meeting, or None when
        # it has exited), its vote.
        self.census = [("", 0)] * g.threads
        self.place: list[str | int | None] = [None] * g.threads
        self.votes = [0] * g.threads
        self.exchange = [0] * g.threads
        self.claims: list[int | None] = [None] * g.threads

    def step(self, words: Bits) -> Bits:
        """One pass. `words` uint8 [n, bits] → uint8 [n, bits]."""
        if len(words) == 0:
            return words
        size = (self.layout.bits + 7) // 8
        packed = np.packbits(words, axis=1, bitorder="little").tobytes()
        given = (packed[i : i + size] for i in range(0, len(packed), size))
        came = b"".join(self._token(int.from_bytes(w, "little")).to_bytes(size, "little")
                        for w in given)  # fmt: skip
        rows = np.frombuffer(came, np.uint8).reshape(-1, size)
        result: Bits = np.unpackbits(rows, axis=1, bitorder="little")[:, : self.layout.bits]
        return result

    def _token(self, word: int) -> int:
        """One word as a number, bit 0 lowest."""
        fields = {name: word >> at & mask for name, (at, mask) in self.fields.items()}
        result = 0
        for name, value in self._word(fields).items():
            at, mask = self.fields[name]
            result |= (value & mask) << at
        return result

    def _word(self, w: dict[str, int]) -> dict[str, int]:
        out = dict(w, value=0, rd=0, we=0, **dict.fromkeys(FAULTS, 0))
        if w["exec"]:
            out["odd"] = 1 - w["odd"]
            if w["we"]:
                self.registers[w["thread"]][w["rd"]] = w["value"] & self.geometry.mask
            if w["run"] or w["wait"]:
                self._execute(w, out)
            else:
                self._announce(w["thread"], "", w["epoch"], None)
        elif w["start"]:
            state = "run" if w["run"] else ""
            self._announce(w["thread"], state, w["epoch"], state or None)
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
    def _announce(
        self, thread: int, state: str, epoch: int, place: str | int | None, vote: int = 0
    ) -> None:
        self.census[thread] = (state, epoch)
        self.place[thread], self.votes[thread] = place, vote

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
        g, pc, thread = self.geometry, w["addr"] % self.geometry.instructions, w["thread"]
        word = self.program[pc]
        out["rd"] = isa.FIELDS["rd"].get(word) % g.registers
        instruction = decoded(word)
        preds = [(w["preds"] >> i) & 1 for i in range(g.predicates)]
        acts = instruction is not None and (
            instruction.guard is None or preds[instruction.guard] != instruction.gneg
        )
        op = isa.OPS[instruction.op] if instruction is not None else None
        at_barrier = op is not None and op.name == "bar" and (w["wait"] or acts)
        at_warp = op is not None and "warp" in op.lines and (w["wait"] or acts)
        q = preds[instruction.q] ^ instruction.qneg if op and instruction and op.reads_q else 0
        vote = q if at_warp and op is not None and op.name == "vote" else 0
        state = "wait" if at_barrier else "run"
        meeting = isa.MEETING.get(word)
        self._announce(thread, state, w["epoch"], meeting if at_warp else "run", vote)
        if instruction is None or op is None:
            if w["run"]:
                out.update(run=0, f_op=1)
            return
        registers = self.registers[thread]
        reads_a = op.reads_a and instruction.ra is not None
        a = registers[(instruction.ra or 0) % g.registers] if reads_a else 0
        c = registers[instruction.rc % g.registers] if op.reads_c else 0
        b = instruction.b & g.mask
        if not instruction.bimm:
            b = registers[instruction.b % g.registers] if op.reads_b else 0
        if at_barrier:
            self._barrier(w, out)
        elif at_warp:
            self._warp(op, w, out, (a, b, c), meeting)
        elif acts and w["run"]:
            out["addr"] = self._next(pc)
            self._act(op, instruction, w, out, (a, b, c), preds)
        elif w["run"]:
            out["addr"] = self._next(pc)

    def _barrier(self, w: dict[str, int], out: dict[str, int]) -> None:
        """The last to arrive passes at once, the others in the next pass."""
        if self._blockers(w["epoch"]) == 0:
            out.update(run=1, wait=0, epoch=(w["epoch"] + 1) % 4, addr=self._next(w["addr"]))
        else:
            out.update(run=0, wait=1)

    def _warp(
        self,
        op: isa.Op,
        w: dict[str, int],
        out: dict[str, int],
        operands: tuple[int, int, int],
        meeting: int,
    ) -> None:
        """Arrive in one pass and go on in a later one, when no lane of the mask is elsewhere."""
        (a, b, mask), g, thread = operands, self.geometry, w["thread"]
        if w["run"]:
            if op.name == "shfl":
                self.exchange[thread] = a
            out.update(run=0, wait=1)
            return
        first = thread // g.lanes * g.lanes
        lanes = [first + i for i in range(g.lanes) if mask >> i & 1]
        if any(self.place[lane] not in (meeting, None) for lane in lanes):
            return
        out.update(run=1, wait=0, addr=self._next(w["addr"]), we=int("warp_writes" in op.lines))
        if op.name == "shfl":
            out["value"] = self.exchange[first + b % g.lanes]
        elif op.name == "vote":
            out["value"] = sum(self.votes[lane] << (lane - first) for lane in lanes)

    def _act(
        self,
        op: isa.Op,
        instruction: isa.Instruction,
        w: dict[str, int],
        out: dict[str, int],
        operands: tuple[int, int, int],
        preds: list[int],
    ) -> None:
        g, (a, b, c) = self.geometry, operands
        q = preds[instruction.q] ^ instruction.qneg if op.reads_q else 0
        if op.is_load or op.is_store:
            self._access(op, (a + b) & g.mask, c, w, out)
        elif op.name == "s2r" and instruction.bimm:
            out.update(value=b, we=1)
        elif op.name == "s2r":
            out.update(value=self.specials[g.special_row(instruction.b, w["thread"])], we=1)
        elif op.name == "selp":
            out.update(value=a if q else b, we=1)
        elif op.writes_carry:
            self._carry(op, instruction, out, a, b, q)
        elif op.writes_predicate:
            r = preds[isa.PLOP_R.get(instruction.b)]
            table = isa.PLOP_TABLE.get(instruction.b)
            holds = (table >> (2 * q + r)) & 1 if op.name == "plop" else self._compare(op, a, b)
            self._set_predicate(out, instruction.rd, bool(holds))
        elif op.writes_register:
            out.update(value=ALU[op.name](g.width, a, b, c) & g.mask, we=1)
        else:
            self._control(op.name, b, w, out)

    def _set_predicate(self, out: dict[str, int], number: int, holds: bool) -> None:
        target = 1 << (number % self.geometry.predicates)
        out["preds"] = out["preds"] | target if holds else out["preds"] & ~target

    def _carry(
        self, op: isa.Op, instruction: isa.Instruction, out: dict[str, int], a: int, b: int, q: int
    ) -> None:
        """Extended-precision add and subtract; a borrow is a carry of its own."""
        exact = a - b - q if "invert" in op.lines else a + b + q
        out.update(value=exact & self.geometry.mask, we=1)
        self._set_predicate(out, instruction.rc, exact != out["value"])

    def _access(
        self, op: isa.Op, address: int, c: int, w: dict[str, int], out: dict[str, int]
    ) -> None:
        size = 1 if "size_b" in op.lines else 2 if "size_h" in op.lines else 4
        outside = not self.geometry.null_bytes <= address < self.geometry.memory_bytes
        misaligned = address % size != 0
        won = "lock" not in op.lines or self._claim(w, address)
        if "unlock" in op.lines:
            self.claims[w["thread"]] = None
        if outside or misaligned:
            out.update(run=0, f_addr=int(outside), f_align=int(misaligned), addr=w["addr"])
        elif op.is_store:
            self._store(address, size, c)
        elif not won:
            out["addr"] = w["addr"]
        else:
            value, bits = self._load(address, size), size * self.geometry.byte
            if "extend" in op.lines and value >> (bits - 1):
                value |= self.geometry.mask >> bits << bits
            out.update(value=value, we=1)

    def _claim(self, w: dict[str, int], address: int) -> bool:
        """Hold an address's class, if no other thread does. Claims are made in even passes and
        those that failed are withdrawn in odd ones, so that a claim seen is a hold or a claim of
        this pass, by a lane before this one: the first in lane order wins."""
        wanted = None if w["odd"] else address >> 2 & (self.geometry.lock_classes - 1)
        self.claims[w["thread"]] = wanted
        return wanted is not None and self.claims.count(wanted) == 1

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
        else:
            out.update(run=0, f_trap=1, addr=pc, value=b)


decoded = lru_cache(maxsize=1 << 14)(isa.decode)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _sar(width: int, a: int, b: int) -> int:
    return signed(a, width) >> min(b, width)


def _prmt(width: int, a: int, selector: int, c: int) -> int:
    """Byte permute, generic mode (PTX ISA, prmt)."""
    byte, result = width // 4, 0
    both = c << width | a
    for place in range(4):
        nibble = selector >> (4 * place) & 15
        chosen = both >> (byte * (nibble & 7)) & ((1 << byte) - 1)
        if nibble & 8:
            chosen = ((1 << byte) - 1) * (chosen >> (byte - 1))
        result |= chosen << (byte * place)
    return result


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
    "shf.l.wrap": lambda w, a, b, c: (a << w | c) << b % w >> w,
    "shf.r.wrap": lambda w, a, b, c: (c << w | a) >> b % w,
    "shf.l.clamp": lambda w, a, b, c: (a << w | c) << min(b, w) >> w,
    "shf.r.clamp": lambda w, a, b, c: (c << w | a) >> min(b, w),
    "clz": lambda w, a, b, c: w - b.bit_length(),
    "popc": lambda w, a, b, c: b.bit_count(),
    "brev": lambda w, a, b, c: int(f"{b:0{w}b}"[::-1], 2),
    "prmt": lambda w, a, b, c: _prmt(w, a, b, c),
    "min.s": lambda w, a, b, c: min(signed(a, w), signed(b, w)),
    "min.u": lambda w, a, b, c: min(a, b),
    "max.s": lambda w, a, b, c: max(signed(a, w), signed(b, w)),
    "max.u": lambda w, a, b, c: max(a, b),
}
