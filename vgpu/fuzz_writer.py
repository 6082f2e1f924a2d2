"""Writes one random program from the pieces that the deck of `vgpu.fuzz` dealt."""

from __future__ import annotations

import random
from typing import Any, Final

from vgpu import isa
from vgpu.fuzz_code import Piece, Room
from vgpu.fuzz_meetings import LOCKS, Meetings
from vgpu.geometry import Geometry
from vgpu.isa import Instruction

FAULTS: Final = ("misaligned", "outside", "undefined", "trap", "branch")


class Writer(Meetings):
    """Structures, plain operations and faults."""

    def __init__(self, draw: random.Random, geometry: Geometry, room: Room) -> None:
        super().__init__(draw, geometry, room)
        self.functions: list[int] = []
        self.depth = self.loops = 0
        self.must_fault = self.far = self.meets = False

    def write(self, pieces: list[Piece], fault: str | None, far: bool) -> list[Instruction | int]:
        """The instructions. `far` spreads them over all instruction numbers."""
        self.must_fault = fault is not None
        self.far = far and self.geometry.instructions > 512
        self.meets = any(piece.kind in ("warp", "groups") for piece in pieces)
        self.strict = self.meets and self.draw.random() < 0.5
        self._prologue(short=self.geometry.instructions < 64)
        self._body(pieces)
        if fault is not None:
            self._fault(fault)
        self._emit("exit")
        for label in self.functions:
            self._place(label)
            for _ in range(2):
                self._compute()
            self._emit("bra", b=self.link)
        return self._link()

    def _prologue(self, short: bool) -> None:
        """The thread's number and window, and something other than 0 to compute with."""
        self._emit("s2r", rd=self.tid, b=isa.SPECIALS["%tid.x"])
        self._emit("mov", rd=self.home, b=self.base, bimm=True)
        self._emit("mad", rd=self.home, ra=self.tid, b=self.window, bimm=True, rc=self.home)
        for i in range(1 if short else self.draw.randint(3, 6)):
            self._emit("ld.b32", rd=self._target(), ra=self.home, b=4 * i % self.window, bimm=True)
        for _ in range(0 if short else self.draw.randint(0, 2)):
            self._emit("mov", rd=self._target(), b=self._immediate(), bimm=True)
        for _ in range(1 if short else 2):
            op = self.draw.choice(("setp.lt.s", "setp.ge.u", "setp.ne"))
            p = self.draw.choice(self.free_predicates)
            self._emit(op, rd=p, ra=self.tid, b=self.draw.randint(0, self.threads), bimm=True)

    def _jump_far(self, most: int) -> None:
        """Over a gap of up to `most` traps."""
        label = self._label()
        self._emit_to(label, "bra")
        self.code += [Instruction("trap", b=9, bimm=True)] * self.draw.randint(0, most)
        self._place(label)

    def _body(self, pieces: list[Piece]) -> None:
        """Structures take up to four of the pieces that follow them."""
        rest = list(pieces)
        while rest:
            if self.far and self.depth == 0:  # half of what is left, spread over the pieces left
                room = self.geometry.instructions - len(self.code) - 16 * len(rest)
                self._jump_far(max(room, 0) * 3 // 2 // (len(rest) + 1))
            piece = rest.pop(0)
            inside = 0
            if piece.kind in ("if", "loop") and self.depth < 2:
                inside = self.draw.randint(1, 4)
            self._piece(piece, rest[:inside])
            del rest[:inside]

    def _piece(self, piece: Piece, inside: list[Piece]) -> None:
        if piece.kind == "op":
            self._operation(piece)
        elif piece.kind == "if":
            self._if(piece, inside)
        elif piece.kind == "loop":
            self._loop(inside)
        elif piece.kind == "jump":
            self._jump(piece)
        elif piece.kind == "call":
            self._call()
        elif piece.kind == "trap":
            self._trap_not_taken(piece)
        elif piece.kind == "warp":
            self._warp(piece)
        elif piece.kind == "groups":
            self._groups(piece)
        elif piece.kind == "lock":
            self._lock(piece)
        elif piece.kind == "bar":
            self._barrier(piece)
        elif not self.must_fault:
            self._emit("exit", piece.guard)

    def _barrier(self, piece: Piece) -> None:
        """Barriers alone always end, whatever the pattern: a thread that has exited holds nobody
        up. Where lanes meet besides, all of them must come."""
        if not self.meets:
            self._emit("bar", piece.guard)
        elif self.strict and not self.diverged and piece.guard == "none":
            self._emit("bar")
        elif self.strict and not self.diverged:
            p = self._settled(self.draw.random() < 0.5)
            self._emit_if(p, "bar", piece.guard == "negated")

    def _if(self, piece: Piece, inside: list[Piece]) -> None:
        end, otherwise = self._label(), self._label()
        if self.draw.random() < 0.5:
            p = self.draw.choice(self.free_predicates)
            k = self.draw.randint(0, self.threads)
            self._emit("setp.lt.u", rd=p, ra=self.tid, b=k, bimm=True)
            self._branch_if(p, otherwise, piece.guard == "negated")
        else:
            self._emit_to(otherwise, "bra", piece.guard)
        self.depth += 1
        self.diverged += 1
        self._body(inside[:2])
        self._emit_to(end, "bra")
        self._place(otherwise)
        self._body(inside[2:])
        self.depth -= 1
        self.diverged -= 1
        self._place(end)

    def _loop(self, inside: list[Piece]) -> None:
        if self.loops == len(self.counters):
            return
        counter = self.counters[self.loops]
        self._emit("mov", rd=counter, b=self.draw.randint(2, 3), bimm=True)
        top = self._label()
        self._place(top)
        self.depth += 1
        self.loops += 1
        self._body(inside)
        self.loops -= 1
        self.depth -= 1
        self._emit("sub", rd=counter, ra=counter, b=1, bimm=True)
        self._emit("setp.ne", rd=self.loop_predicate, ra=counter, b=0, bimm=True)
        self._branch_if(self.loop_predicate, top)

    def _jump(self, piece: Piece) -> None:
        """Over one instruction, to an address in a register."""
        label = self._label()
        self._emit_to(label, "mov", rd=self.offset)
        self._emit("bra", piece.guard, b=self.offset)
        self._emit("not", rd=self._target(), b=self._register())
        self._place(label)

    def _call(self) -> None:
        back, function = self._label(), self._label()
        self.functions.append(function)
        self._emit_to(back, "mov", rd=self.link)
        self._emit_to(function, "bra")
        self._place(back)

    def _trap_not_taken(self, piece: Piece) -> None:
        """A predicate that is false (or, for a negated guard, true), then a guarded trap."""
        negated = piece.guard == "negated"
        p = self._settled(negated)
        immediate = piece.b == "immediate"
        b = self._immediate() if immediate else self._register()
        self._emit_if(p, "trap", negated, b=b, bimm=immediate)

    def _operation(self, piece: Piece) -> None:
        op = isa.OPS[piece.op]
        if op.is_load or op.is_store:
            self._access(op, piece)
            return
        operands: dict[str, Any] = {"ra": self._register() if op.reads_a else 0}
        if piece.a == "zero":
            operands["ra"] = None
        if op.reads_b:
            immediate = piece.b == "immediate"
            operands["bimm"] = immediate
            operands["b"] = self._immediate(op.name) if immediate else self._register()
        if op.reads_c:
            operands["rc"] = self._register()
        if op.writes_carry:
            operands["rc"] = self.draw.choice(self.free_predicates)
        if op.reads_q:
            operands["q"] = self.draw.randrange(self.geometry.predicates)
            operands["qneg"] = piece.q == "negated"
        if "s" in op.operands:
            operands["b"] = self.draw.choice(list(isa.SPECIALS.values()))
        if "k" in op.operands:
            r = self.draw.randrange(self.geometry.predicates)
            operands["b"] = isa.PLOP_R.put(r) | isa.PLOP_TABLE.put(self.draw.randrange(16))
        if op.writes_predicate:
            operands["rd"] = self.draw.choice(self.free_predicates)
        else:
            operands["rd"] = self._target()
        self._emit(op.name, piece.guard, **operands)

    def _access(self, op: isa.Op, piece: Piece) -> None:
        """A load or store, aligned and inside the data. Absolute addresses may be another
        thread's: the lanes of a pass take turns in order, so the outcome is the same in every
        engine."""
        size = 1 if "size_b" in op.lines else 2 if "size_h" in op.lines else 4
        last = self.window - size
        operands: dict[str, Any] = {"bimm": piece.b == "immediate"}
        if piece.a == "zero" and piece.b == "immediate":
            whole = self.window * self.threads
            operands |= {"ra": None, "b": self.base + self.draw.randrange(0, whole, size)}
        elif piece.b == "immediate":
            at, home = self.draw.randrange(0, last + 1, size), self.home
            if self.draw.random() < 0.4:  # from a register above, back down
                self._emit("add", rd=self.offset, ra=home, b=self.window, bimm=True)
                at, home = at - self.window, self.offset
            operands |= {"ra": home, "b": at & isa.MASK32}
        else:
            self._emit("and", rd=self.offset, ra=self._register(), b=last & -size, bimm=True)
            operands |= {"ra": self.home, "b": self.offset}
            if piece.a == "zero":
                self._emit("add", rd=self.offset, ra=self.home, b=self.offset)
                operands["ra"] = None
        if op.is_load:
            operands["rd"] = self._target()
        else:
            operands["rc"] = self._register()
        self._emit(op.name, piece.guard, **operands)

    def _fault(self, fault: str) -> None:
        """All threads fault here, or only the first few."""
        end = self._label()
        if self.draw.random() < 0.5:
            p = self.draw.choice(self.free_predicates)
            few = self.draw.randint(1, self.threads)
            self._emit("setp.ge.u", rd=p, ra=self.tid, b=few, bimm=True)
            self._branch_if(p, end)
        if fault == "undefined":
            code = self.draw.choice([c for c in range(128) if c not in isa.BY_CODE])
            self.code.append(isa.FIELDS["op"].put(code) | self.draw.getrandbits(57))
        elif fault == "trap":
            self._emit("trap", b=self.draw.choice((0, 1, 7)), bimm=True)
        elif fault == "branch" and self.geometry.instructions <= self.geometry.mask:
            beyond = self.draw.choice((self.geometry.instructions, self.geometry.mask))
            self._emit("mov", rd=self.offset, b=beyond, bimm=True)
            if self.draw.random() < 0.5:
                self._emit("bra", b=beyond, bimm=True)
            else:
                self._emit("bra", b=self.offset)
        else:
            self._bad_access(fault)
        self._place(end)

    def _bad_access(self, fault: str) -> None:
        """A load or store that is misaligned, or outside where an address can be."""
        op = self.draw.choice(("ld.u16", "ld.s16", "ld.b32", "st.b16", "st.b32", *LOCKS))
        operands: dict[str, Any] = {"ra": self.home, "b": 1}
        size = self.geometry.memory_bytes
        if fault == "outside" and size <= self.geometry.mask:
            null = (0, self.geometry.null_bytes - 4) if self.geometry.null_bytes else ()
            beyond = self.draw.choice((size, self.geometry.mask - 3, *null))
            operands = {"ra": None, "b": beyond}
        self._emit(op, bimm=True, rd=self._target(), rc=self._register(), **operands)
