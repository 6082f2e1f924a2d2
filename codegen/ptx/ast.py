"""What a PTX file says, as small records. Names and numbers are kept as written."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the PTX text. Both count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Loc:
    """A `.loc`: the source line of what follows. `file` is a number of `.file`.

    `calls` are the call sites `(file name, line, column)`, innermost first, that the line was
    inlined into (clang writes them in a comment).
    """

    file: int
    line: int
    column: int
    calls: tuple[tuple[str, int, int], ...] = ()


# ---- operands -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """A register, special register, label or symbol; `offset` as in `symbol+4`."""

    text: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    """An integer as written (may be negative or above 2**31)."""

    value: int


@dataclass(frozen=True, slots=True)
class FloatBits:
    """A floating-point literal: IEEE bits, 32 (`0f…`) or 64 (`0d…` and decimals) wide."""

    bits: int
    width: int


@dataclass(frozen=True, slots=True)
class Part:
    """`0xFF00(symbol)` of an initial value: the bytes of an address that the mask covers."""

    name: str
    offset: int
    mask: int


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`; base None for an absolute address."""

    base: str | None
    offset: int


@dataclass(frozen=True, slots=True)
class Not:
    """A negated predicate `!p`."""

    name: str


@dataclass(frozen=True, slots=True)
class Pair:
    """`p|q`: two destinations."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b, …}`."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`(a, b, …)` of a call."""

    items: tuple[Operand, ...]


Operand = Name | Number | FloatBits | Part | Address | Not | Pair | Vector | Group


# ---- statements -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Instruction:
    """`opcode` is whole (`ld.global.b32`); `text` is the instruction as written, on one line."""

    opcode: str
    operands: tuple[Operand, ...]
    guard: str | None
    negated: bool
    position: Position
    text: str
    loc: Loc | None = None

    @property
    def base(self) -> str:
        return self.opcode.split(".", 1)[0]

    @property
    def modifiers(self) -> tuple[str, ...]:
        return tuple(self.opcode.split(".")[1:])


@dataclass(frozen=True, slots=True)
class Label:
    name: str
    position: Position


@dataclass(frozen=True, slots=True)
class Registers:
    """`.reg .b32 %r<9>, a;`: each name with its count, None for a single register."""

    type: str
    names: tuple[tuple[str, int | None], ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Targets:
    """A `.branchtargets` list; it is named by the label before it."""

    labels: tuple[str, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Scope:
    """An opening (or closing) brace inside a function body."""

    opens: bool
    position: Position


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable or parameter. `count` is the number of elements, 0 for `[]`, 1 for a scalar.

    `values` are initial values: integers, float bits, `Name`s (addresses) or `Part`s of them.
    """

    space: str
    type: str
    name: str
    count: int
    align: int
    position: Position
    values: tuple[Operand, ...] | None = None
    external: bool = False
    pointer: bool = False
    array: bool = False

    @property
    def element_bytes(self) -> int:
        return max(1, int("".join(c for c in self.type if c.isdigit()) or 8) // 8)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.element_bytes * self.count


Statement = Instruction | Label | Registers | Targets | Scope | Variable | Loc


@dataclass(frozen=True, slots=True)
class Function:
    """An `.entry` (a kernel) or a `.func`; `body` None for a declaration."""

    entry: bool
    name: str
    returns: tuple[Variable, ...]
    params: tuple[Variable, ...]
    body: tuple[Statement, ...] | None
    position: Position


@dataclass(slots=True)
class Module:
    version: str = ""
    address_size: int = 32
    files: dict[int, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)

    @property
    def kernels(self) -> list[Function]:
        return [f for f in self.functions if f.entry and f.body is not None]
