"""The compiler's intermediate form: machine instructions over virtual registers.

Instructions are those of `vgpu.isa` with four liberties, all gone before encoding: registers
are unlimited, operand A may be a constant (`legalise`), `call` stands for the two instructions
that set the link register and branch, and `table` for a branch to a register and the jumps after
it. `str()` of anything here can be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from vgpu.isa import OPS

AND: Final = 0b1000
OR: Final = 0b1110
XOR: Final = 0b0110
COPY: Final = 0b1100
NOT: Final = 0b0011
ALWAYS: Final = 0b1111
NEVER: Final = 0b0000


@dataclass(eq=False, slots=True)
class Reg:
    """A virtual register, or a predicate. `fixed` is the machine register it must be."""

    number: int
    predicate: bool = False
    fixed: int | None = None

    def __str__(self) -> str:
        if self.fixed is not None:
            return f"{'p' if self.predicate else 'r'}{self.fixed}"
        return f"{'%p' if self.predicate else '%v'}{self.number}"

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable, known once the memory is laid out. `offset` in bytes."""

    name: str
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.name}+{self.offset}" if self.offset else self.name


@dataclass(frozen=True, slots=True)
class Target:
    """A place in the code: the label of a block."""

    name: str

    def __str__(self) -> str:
        return self.name


Constant = int | Symbol
Value = Reg | int | Symbol


@dataclass(eq=False, slots=True)
class Ins:
    """One instruction. Operands as in `vgpu.isa.Instruction`; see the module docstring.

    `w` is the predicate that takes the carry or borrow out. `at` is the number of the PTX
    instruction it came from. `reads` and `clobbers` are the fixed
    registers that a call uses and may change. `whole`: nobody wants the old value of the
    destination, although the instruction is guarded. `ways` are the labels of a `table`, and
    `Symbol(table)` is the place of its first jump in the code.
    """

    op: str
    d: Reg | None = None
    a: Value | None = None
    b: Value | Target | None = None
    c: Reg | None = None
    q: Reg | None = None
    qneg: bool = False
    r: Reg | None = None
    k: int = 0
    guard: Reg | None = None
    gneg: bool = False
    at: int = -1
    reads: tuple[Reg, ...] = ()
    clobbers: tuple[Reg, ...] = ()
    whole: bool = False
    w: Reg | None = None
    ways: tuple[str, ...] = ()
    table: str = ""

    @property
    def defs(self) -> tuple[Reg, ...]:
        """Every register written, those that a call clobbers left out."""
        return tuple(r for r in (self.d, self.w) if r is not None)

    def uses(self) -> Iterator[Reg]:
        """Every register read, the old value of a guarded destination left out."""
        for operand in (self.a, self.b, self.c, self.q, self.r, self.guard):
            if isinstance(operand, Reg):
                yield operand
        yield from self.reads

    def replace(self, old: Reg, new: Reg) -> None:
        """Reads of `old` become reads of `new`."""
        if self.a is old:
            self.a = new
        if self.b is old:
            self.b = new
        if self.c is old:
            self.c = new
        if self.q is old:
            self.q = new
        if self.r is old:
            self.r = new
        if self.guard is old:
            self.guard = new

    @property
    def copies(self) -> Reg | None:
        """The source, when this is an unguarded register or predicate copy."""
        if self.guard is not None:
            return None
        if self.op == "mov" and isinstance(self.b, Reg):
            return self.b
        if self.op == "plop" and self.k == COPY and not self.qneg and self.q is self.r:
            return self.q
        return None

    @property
    def keeps(self) -> bool:
        """The old value of the destination may survive."""
        return self.guard is not None and not self.whole

    @property
    def ends(self) -> bool:
        """Nothing after it in its block is reached."""
        return self.guard is None and self.op in ("bra", "table", "exit", "trap")

    @property
    def has_effect(self) -> bool:
        """It does more than write its destination."""
        if self.op in ("call", "bra", "table", "exit", "trap", "bar", "activemask"):
            return True
        return OPS[self.op].is_store or bool({"warp", "lock"} & set(OPS[self.op].lines))

    @property
    def pure(self) -> bool:
        """Its result depends on its register operands only, and it does nothing else."""
        return not self.has_effect and not OPS[self.op].is_load

    def __str__(self) -> str:
        parts: list[str] = []
        if self.d is not None:
            parts.append(str(self.d))
        if self.w is not None:
            parts.append(str(self.w))
        if self.op == "table":
            parts += [str(self.b), *self.ways]
        elif self.op == "call":
            parts += [str(self.b), *(str(r) for r in self.reads)]
        elif self.op in OPS and "[a+i]" in OPS[self.op].operands:
            parts.append("[" + " + ".join(str(x) for x in (self.a, self.b) if x is not None) + "]")
        else:
            parts += [str(x) for x in (self.a, self.b) if x is not None]
        if self.c is not None:
            parts.append(str(self.c))
        if self.q is not None:
            parts.append(("!" if self.qneg else "") + str(self.q))
        if self.op == "plop":
            parts += [str(self.r), f"{self.k:#x}"]
        guard = f"@{'!' if self.gneg else ''}{self.guard} " if self.guard is not None else ""
        return f"{guard}{self.op} {', '.join(parts)}".rstrip()


@dataclass(eq=False, slots=True)
class Block:
    """Straight-line code.

    After `codegen.lower.cfg.normalise` a `bra` to a label is guarded and stands last, and
    `follow` alone says where the code goes on otherwise.
    """

    label: str
    code: list[Ins] = field(default_factory=list)
    follow: str | None = None
    """The block that comes next when the code runs off its end."""

    def branches(self) -> list[str]:
        found = [i.b.name for i in self.code if i.op == "bra" and isinstance(i.b, Target)]
        return [*found, *(label for i in self.code for label in i.ways)]

    def successors(self) -> list[str]:
        found = [self.follow] if self.follow is not None else []
        return list(dict.fromkeys([*found, *self.branches()]))


@dataclass(eq=False, slots=True)
class Routine:
    """A kernel or a device function. `blocks[0]` is the entry.

    `recursive`: it may run again before it has ended, so that room is on the stack.
    `frame_bytes` is the room for its local variables and spilled registers; the symbol `frame`
    stands for the place of that room in the thread's stack.
    """

    name: str
    entry: bool
    blocks: list[Block] = field(default_factory=list)
    frame_bytes: int = 0
    spills: int = 0
    recursive: bool = False
    _numbers: int = 0

    @property
    def frame(self) -> str:
        return f"frame of {self.name}"

    def new(self, predicate: bool = False) -> Reg:
        self._numbers += 1
        return Reg(self._numbers, predicate)

    def instructions(self) -> Iterator[Ins]:
        for block in self.blocks:
            yield from block.code

    def __str__(self) -> str:
        lines = [f"{self.name}:"]
        for block in self.blocks:
            lines.append(f"{block.label}:")
            lines += [f"    {i}" for i in block.code]
            if block.follow is not None:
                lines.append(f"    ; then {block.follow}")
        return "\n".join(lines)


FIXED: Final = tuple(Reg(-1 - n, False, n) for n in range(32))
FIXED_PREDICATES: Final = tuple(Reg(-1 - n, True, n) for n in range(8))
