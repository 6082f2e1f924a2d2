"""Pieces of random programs in which lanes meet: warp operations and lock sections.

Why they end: a lane that waits at a meeting is not waited for there, and neither is one that has
exited, so that warp operations of one meeting alone never block, whatever their masks. Together
with other meetings, or with a block's barriers, they can. A program with warp operations is
therefore either *strict* (masks name lanes that really come, and every lane comes to every
barrier), and then every mask has a meeting of its own, or it has no barriers and one meeting. A
lock section is straight and always gives its hold back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from vgpu import isa
from vgpu.fuzz_code import GUARDS, SOURCES, Code, Piece
from vgpu.geometry import Geometry
from vgpu.isa import Instruction

WARP: Final = tuple(name for name, op in isa.OPS.items() if "warp" in op.lines)
LOCKS: Final = ("ld.lock", "st.unlock")
SPREADS: Final = ("one", "two", "own", "class")  # the words that lanes lock; class: two of a class
CROWD: Final = 8  # lanes that ask for one word at a time, at most


def meeting_pieces() -> Iterator[Piece]:
    for name in WARP:
        op = isa.OPS[name]
        for guard in GUARDS:
            for a in ("register", "zero") if op.reads_a and not op.reads_q else ("register",):
                for b in SOURCES if op.reads_b else ("register",):
                    for q in ("plain", "negated") if op.reads_q else ("plain",):
                        yield Piece("warp", name, guard, a, b, q)
                        yield Piece("groups", name, guard, a, b, q)
    for guard in GUARDS:
        for a in ("register", "zero"):
            for b in SOURCES:
                for spread in SPREADS:
                    yield Piece("lock", "", guard, a, b, spread=spread)


def words_apart(threads: int) -> int:
    """Words over which to spread that many threads' locks: a power of two."""
    return 1 << max((threads - 1) // CROWD, 0).bit_length()


def class_reach(threads: int, geometry: Geometry) -> int:
    """Bytes of data that hold two words of one lock class for every word of `words_apart`."""
    return 4 * (geometry.lock_classes + words_apart(threads))


class Meetings(Code):
    """`strict`: see above. `diverged`: how many `if`s the writer is inside of."""

    strict = False
    diverged = 0
    meeting = 0
    only_meeting: int | None = None

    def _warp(self, piece: Piece) -> None:
        """One warp operation. Where all lanes come, a guard and the mask go by a bit of the
        thread's number; under an `if`, the mask is the lane itself."""
        bit = self._bit()
        if self.diverged or bit is None:
            self._mask_of_one()
            self._meet(piece)
        elif piece.guard == "none":
            self._mask(self._everybody())
            self._meet(piece)
        else:
            p, members = self._split(bit)
            self._mask(members if piece.guard == "plain" else self._everybody() & ~members)
            self._meet(piece, p)

    def _groups(self, piece: Piece) -> None:
        """Two groups part by a bit of the thread's number; each meets at a place of its own."""
        bit = self._bit()
        if self.diverged or bit is None or piece.guard != "none":
            self._warp(piece)
            return
        p, members = self._split(bit)
        apart, join = self._label(), self._label()
        self._branch_if(p, apart)
        for label, come in ((apart, self._everybody() & ~members), (join, members)):
            for _ in range(self.draw.randint(0, 2)):
                self._compute()
            self._mask(come)
            self._meet(piece)
            if label == apart:
                self._emit_to(join, "bra")
            self._place(label)

    def _meet(self, piece: Piece, p: int | None = None) -> None:
        """The operation, guarded by `p` when it is given. Its mask is in the offset register."""
        op, operands = isa.OPS[piece.op], dict[str, Any](rc=self.offset, b=0)
        if op.reads_a:
            operands["ra"] = None if piece.a == "zero" else self._register()
        if op.reads_b and piece.b == "immediate":
            operands |= {"b": self._immediate(), "bimm": True}
        elif op.reads_b:
            operands["b"] = self._register()
        if op.reads_q:
            operands |= {
                "q": self.draw.randrange(self.geometry.predicates),
                "qneg": piece.q == "negated",
            }
        if op.writes_register:
            operands["rd"] = self._target()
        above = isa.MEETING.put(isa.MEETINGS - 1)
        operands["b"] = operands["b"] & ~above | isa.MEETING.put(self.meeting)
        if p is None:
            self._emit(op.name, piece.guard, **operands)
        else:
            self._emit_if(p, op.name, piece.guard == "negated", **operands)

    def _everybody(self) -> int:
        return (1 << self.geometry.lanes) - 1

    def _bit(self) -> int | None:
        """A bit of the thread's number that parts the lanes of a warp; None for one thread."""
        bits = min((self.threads - 1).bit_length(), self.geometry.lane_bits)
        return self.draw.randrange(bits) if bits else None

    def _split(self, bit: int) -> tuple[int, int]:
        """A predicate that holds in the lanes with that bit, and the mask of those lanes."""
        p = self.draw.choice(self.free_predicates)
        self._emit("and", rd=self.offset, ra=self.tid, b=1 << bit, bimm=True)
        self._emit("setp.ne", rd=p, ra=self.offset, b=0, bimm=True)
        return p, sum(1 << lane for lane in range(self.geometry.lanes) if lane >> bit & 1)

    def _mask(self, come: int) -> None:
        """Who comes, into the offset register. Without barriers one may wait for anybody."""
        self._choose_meeting(come)
        if not self.strict and self.draw.random() < 0.3:
            self._emit("mov", rd=self.offset, b=self._register())
        else:
            self._emit("mov", rd=self.offset, b=come, bimm=True)

    def _choose_meeting(self, come: int) -> None:
        """The same number for the same mask, another for one that was used around it."""
        if self.strict:
            if come not in self.numbers:
                self.numbers[come] = len(self.numbers) % isa.MEETINGS
            self.meeting = self.numbers[come]
            return
        if self.only_meeting is None:
            self.only_meeting = self.draw.randrange(isa.MEETINGS)
        self.meeting = self.only_meeting

    def _mask_of_one(self) -> None:
        self._choose_meeting(0)
        lane = self._target()
        self._emit("and", rd=lane, ra=self.tid, b=self.geometry.lanes - 1, bimm=True)
        self._emit("mov", rd=self.offset, b=1, bimm=True)
        self._emit("shl", rd=self.offset, ra=self.offset, b=lane)

    def _lock(self, piece: Piece) -> None:
        """Read a word that others want too, change it, write it back."""
        guard: dict[str, Any] = {}
        if piece.guard != "none":
            number = self.draw.randrange(self.geometry.predicates)
            guard = {"guard": number, "gneg": piece.guard == "negated"}
        where = guard | self._locked_word(piece)
        loaded = self._target()
        self.code.append(Instruction("ld.lock", rd=loaded, **where))
        value = self._register()
        for _ in range(self.draw.randint(0, 2)):
            value, other = self._target(), self._register()
            self._emit(self.draw.choice(("add", "max.s", "xor")), rd=value, ra=loaded, b=other)
        self.code.append(Instruction("st.unlock", rc=value, **where))

    def _locked_word(self, piece: Piece) -> dict[str, Any]:
        """Operands that name the word; they stay good until the hold is given up."""
        immediate = piece.b == "immediate"
        if immediate and piece.a == "zero" and self.threads <= CROWD:
            word = self.draw.randrange(0, self.room.size, 4)
            return {"ra": None, "b": self.base + word, "bimm": True}
        self._lock_address(piece.spread)
        if immediate and piece.a != "zero":
            away = self._immediate()
            self._emit("sub", rd=self.offset, ra=self.offset, b=away, bimm=True)
            return {"ra": self.offset, "b": away, "bimm": True}
        if piece.a != "zero" and self.link:
            self._emit("mov", rd=self.link, b=self._register())
            self._emit("sub", rd=self.offset, ra=self.offset, b=self.link)
            return {"ra": self.link, "b": self.offset}
        return {"ra": None, "b": self.offset}

    def _lock_address(self, spread: str) -> None:
        """The address of the lane's word, into the offset register."""
        offset, apart = self.offset, words_apart(self.threads)
        if spread == "own":
            at = self.draw.randrange(0, self.window, 4)
            self._emit("add", rd=offset, ra=self.home, b=at, bimm=True)
            return
        apart *= 2 if spread == "two" else 1
        self._emit("and", rd=offset, ra=self.tid, b=min(apart, self.threads) - 1, bimm=True)
        self._emit("shl", rd=offset, ra=offset, b=2, bimm=True)
        if spread == "class" and self.room.size >= class_reach(self.threads, self.geometry):
            far = self._target()
            self._emit("and", rd=far, ra=self.tid, b=apart, bimm=True)
            times = 4 * self.geometry.lock_classes // apart
            self._emit("mul", rd=far, ra=far, b=times, bimm=True)
            self._emit("add", rd=offset, ra=offset, b=far)
        self._emit("add", rd=offset, ra=offset, b=self.base, bimm=True)
