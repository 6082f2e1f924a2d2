"""A recorded run: its trace, read lazily, and what lanes and memory held after each pass.

Nothing is computed again. Registers are the last writes that the words tell; memory is what was
loaded, and what the lanes' store instructions wrote, at the addresses that their registers held.
"""

from __future__ import annotations

import json
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from assistant.app.watched import MOST_TRACE
from vgpu import isa
from vgpu.geometry import DEFAULT, Geometry
from vgpu.word import FAULTS, layout

if TYPE_CHECKING:
    from vgpu.program import Program

_READ = 1 << 20  # bytes of the file that are looked at in one go
_KEPT = 64  # states that are kept to start from; their distance doubles when there are more


@dataclass
class LaneState:
    """After pass `number` (0: before the first). `registers` int64 [lanes, 32] holds what was
    written, `known` whether anything was; `changed` are the (lane, register) of this pass and
    `stored` the word addresses. `executed` is the pc that each lane went in with, -1 for none."""

    number: int
    ctaid: tuple[int, ...]
    pc: list[int]
    run: list[bool]
    wait: list[bool]
    fault: list[bool]
    predicates: list[int]
    registers: Any
    known: Any
    memory: bytearray
    executed: list[int] = field(default_factory=list)
    changed: set[tuple[int, int]] = field(default_factory=set)
    moved: set[tuple[int, int]] = field(default_factory=set)  # (lane, predicate)
    stored: set[int] = field(default_factory=set)
    words: Sequence[str] = ()

    def copy(self) -> LaneState:
        return LaneState(
            self.number, self.ctaid, list(self.pc), list(self.run), list(self.wait),
            list(self.fault), list(self.predicates), self.registers.copy(), self.known.copy(),
            bytearray(self.memory), list(self.executed), set(self.changed), set(self.moved),
            set(self.stored), self.words,
        )  # fmt: skip


class Recording:
    """The trace at `path`, of a run of `program`; the file may still be growing.

    A trace that is not there or not one has no passes.
    """

    def __init__(self, path: Path | None, program: Program) -> None:
        self.path, self.program = path, program
        self.code = [isa.decode(word) for word in program.code]
        self.header: dict[str, Any] = {}
        self.ended = ""  # how the run ended, when it has
        self.left_out = 0  # passes that the trace had no room for
        self.geometry: Geometry = DEFAULT
        self._offsets = array("Q")  # of each pass's line
        self._file: BinaryIO | None = None
        self._read_to = 0
        self._memory = bytearray(DEFAULT.memory_bytes)
        self._reads: list[list[str]] = []
        self._kept: dict[int, LaneState] = {}
        self._apart = 64
        self._now: LaneState | None = None

    # ---- the file ----
    @property
    def passes(self) -> int:
        """Passes that were found in the file so far."""
        return len(self._offsets)

    @property
    def full(self) -> bool:
        """Whether passes are missing because the trace had no room for them."""
        return self.left_out > 0 or self._read_to >= MOST_TRACE

    @property
    def lanes(self) -> int:
        x, y, z = self.header.get("block", (1, 1, 1))
        return int(x * y * z)

    def poll(self, seconds: float = 0.01) -> int:
        """Looks at what the file has gained, for about that long; how many passes there are."""
        until = time.perf_counter() + seconds
        while self._more() and time.perf_counter() < until:
            pass
        return self.passes

    def read_all(self) -> int:
        while self._more():
            pass
        return self.passes

    def _more(self) -> bool:
        """Indexes one piece of the file; False when there is no whole line left."""
        if self.path is None:
            return False
        try:
            self._file = self._file or self.path.open("rb")
            self._file.seek(self._read_to)
            piece = self._file.read(_READ)
            if b"\n" not in piece:  # a prompt's line may be longer
                piece += self._file.readline()
        except OSError:
            return False
        whole = piece.rfind(b"\n") + 1
        start = 0
        while start < whole:
            end = piece.index(b"\n", start)
            if piece.startswith(b'{"pass":', start):
                self._offsets.append(self._read_to + start)
            else:
                self._other(piece[start:end])
            start = end + 1
        self._read_to += whole
        return whole > 0

    def _other(self, line: bytes) -> None:
        """A line that is no pass: the launch, a piece of a prompt, the end."""
        try:
            record = json.loads(line)
        except ValueError:
            return
        if not isinstance(record, dict):
            return
        if "trace" in record:
            self.header = record
            self.geometry = Geometry(**record["geometry"])
            self._memory = bytearray(self.geometry.memory_bytes)
        elif record.get("chunk") == "load":
            self._load(record["in"])
        elif "end" in record:
            self.ended, self.left_out = record["end"], record.get("left_out", 0)

    def _load(self, words: list[str]) -> None:
        names = layout(self.geometry)
        fields = names.unpack(names.from_hex(words))
        for is_mem, address, value in zip(
            fields["mem"].tolist(), fields["addr"].tolist(), fields["value"].tolist(), strict=True
        ):
            if is_mem:
                self._memory[address : address + 4] = value.to_bytes(4, "little")

    def record(self, number: int) -> dict[str, Any]:
        """The line of pass `number`, which counts from 1."""
        assert self._file is not None
        self._file.seek(self._offsets[number - 1])
        line: dict[str, Any] = json.loads(self._file.readline())
        return line

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    # ---- states ----
    def first(self) -> LaneState:
        """Before the first pass of a block: every lane at instruction 0."""
        n = self.lanes
        return LaneState(
            0, (0, 0, 0), [0] * n, [True] * n, [False] * n, [False] * n, [0] * n,
            np.zeros((n, isa.REGISTERS), np.int64), np.zeros((n, isa.REGISTERS), np.bool_),
            bytearray(self._memory), [-1] * n,
        )  # fmt: skip

    def state(self, number: int, seconds: float = 0.0) -> LaneState:
        """After pass `number`, or as far towards it as `seconds` allow (0: all the way)."""
        number = max(0, min(number, self.passes))
        if number == 0:  # never kept: the prompt may not have been read to its end
            return self.first()
        until = time.perf_counter() + seconds if seconds else float("inf")
        now = self._nearest(number)
        while now.number < number:
            now = self._after(now, self.record(now.number + 1))
            self._keep(now)
            if time.perf_counter() > until:
                break
        self._now = now
        return now

    def _nearest(self, number: int) -> LaneState:
        """A state at or before `number` to go on from; it may be changed by who gets it."""
        best = max((at for at in self._kept if at <= number), default=-1)
        if self._now is not None and best <= self._now.number <= number:
            return self._now
        return self._kept[best].copy() if best >= 0 else self.first()

    def _keep(self, state: LaneState) -> None:
        if state.number % self._apart:
            return
        self._kept.setdefault(state.number, state.copy())
        if len(self._kept) > _KEPT:
            self._apart *= 2
            self._kept = {at: s for at, s in self._kept.items() if at % self._apart == 0}

    def _after(self, state: LaneState, record: dict[str, Any]) -> LaneState:
        """Changes `state` by one pass."""
        names = layout(self.geometry).offsets
        ctaid = tuple(record["ctaid"])
        if ctaid != state.ctaid:
            memory, number = state.memory, state.number
            state = self.first()
            state.memory, state.number, state.ctaid = memory, number, ctaid
        state.number += 1
        state.words = record["words"]
        state.changed, state.moved, state.stored = set(), set(), set()
        went_in = [pc if run else -1 for pc, run in zip(state.pc, state.run, strict=True)]
        for lane, pc in enumerate(went_in):
            if pc >= 0:
                self._store(state, lane, pc)
        state.executed = went_in
        addr, width = names["addr"], layout(self.geometry).widths["addr"]
        low = (1 << width) - 1
        faults = [names[name] for name in FAULTS]
        for lane, text in enumerate(state.words):
            word = int(text, 16)
            state.pc[lane] = (word >> addr & low) % self.geometry.instructions
            state.run[lane] = bool(word >> names["run"] & 1)
            state.wait[lane] = bool(word >> names["wait"] & 1)
            state.fault[lane] = any(word >> at & 1 for at in faults)
            predicates = word >> names["preds"] & 0xFF
            moved = predicates ^ state.predicates[lane]
            state.predicates[lane] = predicates
            if moved:
                state.moved |= {(lane, p) for p in range(8) if moved >> p & 1}
            if word >> names["we"] & 1:
                register = word >> names["rd"] & (self.geometry.registers - 1)
                state.registers[lane, register] = word >> names["value"] & isa.MASK32
                state.known[lane, register] = True
                state.changed.add((lane, register))
        return state

    def _store(self, state: LaneState, lane: int, pc: int) -> None:
        """What a store instruction writes, from the registers that the lane went in with."""
        i = self.code[pc] if pc < len(self.code) else None
        if i is None or not isa.OPS[i.op].is_store:
            return
        if i.guard is not None:
            holds = bool(state.predicates[lane] >> i.guard & 1)
            if holds == i.gneg:
                return
        registers = state.registers[lane]
        base = 0 if i.ra is None else int(registers[i.ra])
        offset = i.b if i.bimm else int(registers[i.b % isa.REGISTERS])
        size = 1 if "size_b" in isa.OPS[i.op].lines else 2 if "size_h" in isa.OPS[i.op].lines else 4
        address = (base + offset) & isa.MASK32
        if address + size > len(state.memory):
            return
        value = int(registers[i.rc]) & ((1 << 8 * size) - 1)
        state.memory[address : address + size] = value.to_bytes(size, "little")
        state.stored.add(address & ~3)
