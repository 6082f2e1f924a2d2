"""Random valid programs: what the network is checked with against the interpreter.

Every program ends by construction: branches lead forward, loops count down, and whatever
stands between is drawn from a deck that holds every row of the instruction table in every
operand form, so that no form is left to chance. Some programs fault, on purpose.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from vgpu import isa
from vgpu.fuzz_code import CORNERS, GUARDS, SHIFTS, SOURCES, Piece, Room
from vgpu.fuzz_meetings import LOCKS, WARP, class_reach, meeting_pieces
from vgpu.fuzz_writer import FAULTS, Writer
from vgpu.geometry import DEFAULT, Geometry
from vgpu.isa import Instruction
from vgpu.program import PARAM_BASE, Program

# These come in pieces of their own.
STRUCTURES: Final = ("bra", "bar", "exit", "trap", *WARP, *LOCKS)
ENOUGH: Final = 200  # programs from which on every form must have been drawn
THREADS: Final = 8  # of most programs, to keep a pass of the dense engine cheap

Form = tuple[str, str]


@dataclass(frozen=True)
class RandomProgram:
    """`instructions` in order (an int is a word with an undefined opcode). `data` lies at
    `base` when the program starts; all that it stores stays inside. `fault` names the fault
    that it must end with, if any."""

    name: str
    instructions: tuple[Instruction | int, ...]
    threads: int
    base: int
    data: bytes
    fault: str | None = None

    def program(self) -> Program:
        code = (i if isinstance(i, int) else i.encode() for i in self.instructions)
        if not self.data:
            return Program(self.name, tuple(code))
        end = self.base + len(self.data)
        return Program(self.name, tuple(code), data_base=self.base, data=self.data, shared_base=end)


def forms(instruction: Instruction) -> Iterator[Form]:
    """What an instruction covers: (opcode, operand form) and (immediate, corner value)."""
    op, name = isa.OPS[instruction.op], instruction.op
    guard = "none" if instruction.guard is None else "negated" if instruction.gneg else "plain"
    yield name, f"guard {guard}"
    if op.reads_a:
        yield name, "a zero" if instruction.ra is None else "a register"
    if op.reads_b:
        yield name, "b immediate" if instruction.bimm else "b register"
    if op.reads_q:
        yield name, "q negated" if instruction.qneg else "q plain"
    if instruction.bimm and instruction.b in CORNERS:
        yield "immediate", hex(instruction.b)
    if name in SHIFTS and instruction.bimm and instruction.b >= 32:
        yield name, "amount of 32 or more"


def required() -> set[Form]:
    """All forms that the instruction table has."""
    wanted = {("immediate", hex(value)) for value in CORNERS}
    wanted |= {(name, "amount of 32 or more") for name in SHIFTS}
    for op in isa.OPS.values():
        wanted |= {(op.name, f"guard {guard}") for guard in GUARDS}
        if op.reads_a:
            wanted.add((op.name, "a register"))
        if op.reads_a and not op.reads_q:
            wanted.add((op.name, "a zero"))
        if op.reads_b:
            wanted |= {(op.name, "b register"), (op.name, "b immediate")}
        if op.reads_q:
            wanted |= {(op.name, "q plain"), (op.name, "q negated")}
    return wanted


def coverage(programs: Iterable[RandomProgram]) -> dict[Form, int]:
    """How often each required form was drawn; 0 where never."""
    counts = dict.fromkeys(sorted(required()), 0)
    for program in programs:
        for instruction in program.instructions:
            if isinstance(instruction, Instruction):
                for form in forms(instruction):
                    counts[form] = counts.get(form, 0) + 1
    return counts


def generate(count: int, seed: int, geometry: Geometry = DEFAULT) -> list[RandomProgram]:
    """`count` programs; the same seed gives the same ones.

    Raises AssertionError when so many programs left a form of the instruction table out: the
    generator is then wrong, and a check with its programs would claim too much.
    """
    draw = random.Random(seed)
    deck = Deck(draw, geometry)
    programs = [_generate(f"{seed}:{i}", i, draw, deck, geometry) for i in range(count)]
    if count >= ENOUGH and geometry.instructions >= 64:
        missing = [form for form, times in coverage(programs).items() if times == 0]
        if missing:
            raise AssertionError(f"never drawn in {count} programs: {missing}")
    return programs


class Deck:
    """All pieces, shuffled; dealt to the last before any comes again."""

    def __init__(self, draw: random.Random, geometry: Geometry) -> None:
        self.draw = draw
        self.cards: list[Piece] = []
        self.all = [*_op_pieces(), *meeting_pieces()]
        structures = [Piece("if", guard=g) for g in ("plain", "negated")] * 10
        structures += [Piece("jump", guard=g) for g in GUARDS] * 3
        structures += [Piece("exit", guard=g) for g in ("plain", "negated")] * 4
        structures += [
            Piece("trap", guard=g, b=b) for g in ("plain", "negated") for b in SOURCES
        ] * 2
        structures += [Piece("bar", guard=g) for g in GUARDS] * 8
        if geometry.registers >= 8:
            structures += [Piece("loop")] * 16 + [Piece("call")] * 8
        self.all += structures

    def deal(self, count: int) -> list[Piece]:
        while len(self.cards) < count:
            self.cards = self.draw.sample(self.all, len(self.all)) + self.cards
        return [self.cards.pop() for _ in range(count)]

    def take_back(self, pieces: list[Piece]) -> None:
        self.cards += reversed(pieces)


def _op_pieces() -> Iterator[Piece]:
    for op in isa.OPS.values():
        if op.name in STRUCTURES:
            continue
        for guard in GUARDS:
            for a in ("register", "zero") if op.reads_a and not op.reads_q else ("register",):
                for b in SOURCES if op.reads_b else ("register",):
                    for q in ("plain", "negated") if op.reads_q else ("plain",):
                        yield Piece("op", op.name, guard, a, b, q)


def _generate(
    name: str, number: int, draw: random.Random, deck: Deck, geometry: Geometry
) -> RandomProgram:
    wide = number % 20 == 5 and geometry.threads > THREADS
    pieces = deck.deal(draw.randint(3, 7) if wide else draw.randint(5, 15))
    fault = FAULTS[number // 16 % len(FAULTS)] if number % 16 == 7 else None
    threads = draw.randint(1, min(THREADS, geometry.threads))
    if wide:
        threads = draw.randint(geometry.threads * 3 // 4, geometry.threads)
    while True:
        room = _room(draw, threads, wide, any(p.spread == "class" for p in pieces), geometry)
        writer = Writer(draw, geometry, room)
        instructions = writer.write(pieces, fault, far=number % 32 == 13)
        if len(instructions) <= geometry.instructions or not pieces:
            break
        deck.take_back([pieces.pop()])
    data = b"".join(_word(draw) for _ in range(room.size // 4))
    if room.base < PARAM_BASE:
        data = b""
    return RandomProgram(name, tuple(instructions), threads, room.base, data, fault)


def _room(draw: random.Random, threads: int, wide: bool, classes: bool, geometry: Geometry) -> Room:
    """Data for that many threads; at address 0, and none of it loaded, where memory is small.
    `classes`: large enough for two words that share a hold."""
    window = 8 if wide else 32
    while window > 4 and window * threads + PARAM_BASE > geometry.memory_bytes:
        window //= 2
    size = window * threads
    reach = class_reach(threads, geometry)
    if classes and reach + PARAM_BASE <= geometry.memory_bytes:
        size = max(size, reach)
    if size + PARAM_BASE > geometry.memory_bytes:
        return Room(threads, 0, window, size)
    base = 4 * draw.randint(PARAM_BASE // 4, (geometry.memory_bytes - size) // 4)
    return Room(threads, base, window, size)


def _word(draw: random.Random) -> bytes:
    """A word of data: any bits, mostly ones (long carries), a corner value, a small number."""
    any_bits, small = draw.getrandbits(32), draw.randint(-100, 100) & isa.MASK32
    mostly_ones = any_bits | draw.getrandbits(32) | draw.getrandbits(32)
    value = draw.choice((any_bits, mostly_ones, draw.choice(CORNERS), small))
    return value.to_bytes(4, "little")
