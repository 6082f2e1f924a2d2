"""What random programs are written with: a deck's cards, registers, labels, plain instructions."""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass
from typing import Any, Final

from vgpu import isa
from vgpu.geometry import Geometry
from vgpu.isa import Instruction

CORNERS: Final = (0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF)
GUARDS: Final = ("none", "plain", "negated")
SOURCES: Final = ("register", "immediate")
SHIFTS: Final = tuple(name for name, op in isa.OPS.items() if "shift" in op.lines)
LONG_SHIFTS: Final = (32, 33, 63, 256, 0x80000000)


@dataclass(frozen=True)
class Piece:
    """A card of the deck: one instruction form, or a structure with pieces inside."""

    kind: str  # op if loop bar exit call jump trap warp groups lock
    op: str = ""
    guard: str = "none"  # none plain negated
    a: str = "register"  # register zero
    b: str = "register"  # register immediate
    q: str = "plain"  # plain negated
    spread: str = ""  # of a lock: which words the lanes ask for


@dataclass(frozen=True)
class Room:
    """How many threads a program has, and its data: `size` bytes at `base`, of which each thread
    calls `window` bytes its own."""

    threads: int
    base: int
    window: int
    size: int


class Code:
    """Some registers are set aside and written only on purpose: the thread's number, the base of
    its window of memory, two loop counters, a return address, an offset; and one predicate, for
    loops. Which ones is drawn, and anything may read them."""

    def __init__(self, draw: random.Random, geometry: Geometry, room: Room) -> None:
        self.draw, self.geometry, self.room = draw, geometry, room
        self.threads, self.base, self.window = room.threads, room.base, room.window
        registers = draw.sample(range(geometry.registers), geometry.registers)
        self.tid, self.home, self.offset = registers[:3]
        kept = 6 if geometry.registers >= 8 else 3
        self.link, self.counters = registers[3] if kept > 3 else 0, registers[4:kept]
        self.free = registers[kept:] or registers[:1]
        predicates = draw.sample(range(geometry.predicates), geometry.predicates)
        self.loop_predicate, *self.free_predicates = predicates
        self.code: list[Instruction | int] = []
        self.labels: dict[int, int] = {}  # label → instruction index
        self.uses: dict[int, int] = {}  # instruction index → label, its immediate
        self.written: list[int] = []
        self.numbers: dict[int, int] = {}  # mask → the number of its meeting

    def _link(self) -> list[Instruction | int]:
        """The instructions, with every label's place filled in."""
        for at, label in self.uses.items():
            instruction = self.code[at]
            assert isinstance(instruction, Instruction)
            self.code[at] = dataclasses.replace(instruction, b=self.labels[label])
        return self.code

    def _emit(self, op: str, guard: str = "none", **operands: Any) -> None:
        if guard != "none":
            operands["guard"] = self.draw.randrange(self.geometry.predicates)
            operands["gneg"] = guard == "negated"
        self.code.append(Instruction(op, **operands))

    def _label(self) -> int:
        self.labels[len(self.labels)] = -1
        return len(self.labels) - 1

    def _place(self, label: int) -> None:
        self.labels[label] = len(self.code)

    def _emit_to(self, label: int, op: str, guard: str = "none", **operands: Any) -> None:
        """An instruction whose immediate is where the label will stand."""
        self.uses[len(self.code)] = label
        self._emit(op, guard, bimm=True, **operands)

    def _emit_if(self, predicate: int, op: str, negated: bool = False, **operands: Any) -> None:
        self.code.append(Instruction(op, guard=predicate, gneg=negated, **operands))

    def _branch_if(self, predicate: int, label: int, negated: bool = False) -> None:
        self.uses[len(self.code)] = label
        self._emit_if(predicate, "bra", negated, bimm=True)

    def _settled(self, holds: bool) -> int:
        """A predicate that holds, or does not, in every lane."""
        p = self.draw.choice(self.free_predicates)
        table = isa.PLOP_TABLE.put(15 if holds else 0)
        self._emit("plop", rd=p, q=0, b=table | isa.PLOP_R.put(p))
        return p

    def _register(self) -> int:
        """A source: mostly one that was written, as the others hold 0 and show little."""
        if self.written and self.draw.random() < 0.9:
            return self.draw.choice(self.written)
        return self.draw.randrange(self.geometry.registers)

    def _target(self) -> int:
        target = self.draw.choice(self.free)
        self.written.append(target)
        return target

    def _immediate(self, op: str = "") -> int:
        if op in SHIFTS and self.draw.random() < 0.6:
            return self.draw.choice((0, 1, 7, 31, *LONG_SHIFTS))
        return self.draw.choice(
            (self.draw.choice(CORNERS), self.draw.randrange(256), self.draw.getrandbits(32))
        )

    def _compute(self, ops: tuple[str, ...] = ("add", "xor", "mad", "mulhi.s")) -> int:
        """A plain instruction on registers; where its result is."""
        a, b, c = self._register(), self._register(), self._register()
        target = self._target()
        self._emit(self.draw.choice(ops), rd=target, ra=a, b=b, rc=c)
        return target
