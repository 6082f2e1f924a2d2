"""Lowering one PTX function: registers, operands, and the rules' way to emit code.

A rule (see `codegen.lower.rules`) gets the `Lowering` and one PTX instruction. PTX registers of
up to 32 bits are one machine register each, those of 64 bits a pair (`wide`). A register of 8 or
16 bits keeps its value in the low bits; the others hold anything, and whoever cares extends it
(`narrow`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NoReturn

from codegen.errors import CompileError, place, shortened
from codegen.lower import mir
from codegen.lower.layout import single
from codegen.lower.mir import FIXED, Block, Ins, Reg, Symbol, Target, Value
from codegen.lower.places import Places
from codegen.ptx import ast
from vgpu.isa import MASK32, OPS, SPECIALS
from vgpu.program import Source

WARP_SIZE: Final = 32
_WIDTHS: Final = ("8", "16", "32", "64")
TYPES: Final = frozenset(
    [k + w for k in "bus" for w in _WIDTHS]
    + ["f16", "f32", "f64", "pred", "b128", "f16x2", "bf16", "bf16x2", "u16x2", "s16x2"]
)


@dataclass(frozen=True)
class Opcode:
    """A PTX opcode taken apart: `mul.wide.u16` is base mul, mods (wide,), types (u16,)."""

    base: str
    mods: tuple[str, ...]
    types: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Opcode:
        base, *rest = text.split(".")
        return cls(
            base,
            tuple(m for m in rest if m not in TYPES),
            tuple(m for m in rest if m in TYPES),
        )

    @property
    def type(self) -> str:
        return self.types[-1] if self.types else ""

    @property
    def signed(self) -> bool:
        return self.type.startswith("s")

    @property
    def width(self) -> int:
        return width_of(self.type)


def width_of(type_: str) -> int:
    """Bits of a type; a predicate is 1."""
    if type_.endswith("x2"):
        return 32
    return 1 if type_ == "pred" else int("".join(c for c in type_ if c.isdigit()) or 0)


@dataclass(frozen=True)
class Unit:
    """What lowering needs to know of the file that a function stands in.

    `addresses` are the variables that are, or will be, laid out in memory; `trap_code` is the
    reason that the PTX instruction `trap` gives. `marks`: an instruction that does nothing stands
    before what is made of each PTX instruction, to count those that are executed.
    """

    places: Places
    addresses: frozenset[str]
    functions: dict[str, ast.Function]
    trap_code: int = 2
    marks: bool = False

    @cached_property
    def has_atomics(self) -> bool:
        """Some function of the file changes memory atomically."""
        return any(
            isinstance(s, ast.Instruction) and s.base in ("atom", "red")
            for function in self.functions.values()
            for s in function.body or ()
        )

    @cached_property
    def several_barriers(self) -> bool:
        """Barriers of the file's functions have, or may have, more than one number."""
        found: set[ast.Operand] = set()
        statements = (s for function in self.functions.values() for s in function.body or ())
        for s in statements:
            if (
                isinstance(s, ast.Instruction)
                and s.base in ("bar", "barrier")
                and not {"warp", "cluster"} & set(s.modifiers)
            ):
                found.update(s.operands[1:2] if "red" in s.modifiers else s.operands[:1])
        return len(found) > 1 or any(not isinstance(o, ast.Number) for o in found)


class Lowering:
    """The state while one function is lowered; the result is `routine`."""

    def __init__(self, function: ast.Function, unit: Unit) -> None:
        self.function = function
        self.unit = unit
        self.routine = mir.Routine(function.name, function.entry)
        self.types: dict[str, str] = {}
        self.defs: dict[str, list[ast.Instruction]] = {}
        self.frame: dict[str, int] = {}
        self.slots: dict[str, list[Reg]] = {}
        self.shared_words: set[Reg] = set()  # among the slots: words of several parts
        self.targets: dict[str, tuple[str, ...]] = {}
        self.labels: frozenset[str] = frozenset()
        self.needs: list[str] = []
        self.call_words = 0
        self.tables = 0
        self.at = -1
        self.source: Source | None = None
        self.loc: ast.Loc | None = None
        self.current: ast.Instruction | None = None
        self.guard: tuple[Reg, bool] | None = None
        self.link: Reg | None = None
        self._registers: dict[str, Reg] = {}
        self._owned: set[Reg] = set()
        self._carry: Reg | None = None
        self._always: dict[tuple[str, int], Reg] = {}
        self._labels = 0
        self.block = Block("entry")
        self.routine.blocks.append(self.block)

    # ---- errors ----
    def unsupported(self, why: str = "") -> NoReturn:
        """Rejects the current instruction, naming its text."""
        assert self.current is not None
        reason = f": {why}" if why else ""
        self.fail(f"unsupported PTX instruction '{self.current.text}'{reason}")

    def fail(self, message: str) -> NoReturn:
        places = self.unit.places
        source = self.source or places.of_function(self.function)
        raise CompileError(
            place(source.file, source.line, source.column, shortened(message)),
            places.callers(self.loc, self.source),
        )

    def fail_at(self, message: str, position: ast.Position) -> NoReturn:
        """Rejects a declaration."""
        self.unit.places.reject(message, position)

    # ---- registers and operands ----
    def new(self, predicate: bool = False) -> Reg:
        return self.routine.new(predicate)

    def declare(self, registers: ast.Registers) -> None:
        for name, count in registers.names:
            for spelled in [name] if count is None else (f"{name}{n}" for n in range(count)):
                self.types[spelled] = registers.type

    def register(self, name: str) -> Reg:
        """The machine register of a PTX register of at most 32 bits."""
        type_ = self.types.get(name)
        if type_ is None:
            self.fail(f"'{name}' is not declared")
        if width_of(type_) > 32:
            self.unsupported(f"{name} has {width_of(type_)} bits, the instruction works on fewer")
        return self._home(name, type_ == "pred")

    def halves(self, name: str) -> tuple[Reg, Reg]:
        """The machine registers of a 64-bit PTX register, low word first."""
        if not self.is_wide(name):
            self.unsupported(f"{name} is not a 64-bit register")
        return self._home(name), self._home(f"{name} high")

    def is_wide(self, name: str) -> bool:
        return width_of(self.types.get(name, "")) == 64

    def _home(self, name: str, predicate: bool = False) -> Reg:
        found = self._registers.get(name)
        if found is None:
            found = self._registers[name] = self.new(predicate)
            self._owned.add(found)
        return found

    def dest(self, operand: ast.Operand) -> Reg:
        """The register to write (`_` is a register that nobody reads)."""
        if isinstance(operand, ast.Name) and operand.offset == 0:
            return self.new() if operand.text == "_" else self.word(self.register(operand.text))
        self.unsupported("its destination is not a register")

    def own(self, register: Reg) -> None:
        """`register` outlives the current PTX instruction: writing it obeys the guard."""
        self._owned.add(register)

    def require(self, name: str) -> None:
        """The program must contain the routine `name`."""
        if name not in self.needs:
            self.needs.append(name)

    def word(self, register: Reg) -> Reg:
        if register.predicate:
            self.unsupported("a predicate stands where a number should")
        return register

    def predicate(self, operand: ast.Operand) -> tuple[Reg, bool]:
        """(predicate, whether it is negated)."""
        name = operand.name if isinstance(operand, ast.Not) else None
        if isinstance(operand, ast.Name) and operand.offset == 0:
            name = operand.text
        if name is None:
            self.unsupported("a predicate is expected")
        register = self.register(name)
        if not register.predicate:
            self.unsupported(f"{name} is not a predicate")
        return register, isinstance(operand, ast.Not)

    def truth(self, operand: ast.Operand) -> tuple[Reg, bool]:
        """(predicate, whether it is negated) of a source: a predicate or a constant, 0 for false
        and anything else for true (NVRTC writes `xor.pred %p2, %p1, -1`)."""
        if not isinstance(operand, ast.Number):
            return self.predicate(operand)
        constant = self.new(predicate=True)
        self.logic(constant, (constant, False), k=mir.ALWAYS if operand.value else mir.NEVER)
        return constant, False

    def value(self, operand: ast.Operand) -> Value:
        """The 32-bit value of a source operand."""
        match operand:
            case ast.Number(number):
                if not -(1 << 31) <= number <= MASK32:
                    self.unsupported(f"{number} does not fit 32 bits")
                return number & MASK32
            case ast.FloatBits(bits, 32):
                return bits
            case ast.FloatBits(bits) if self.current and "f32" in self.current.modifiers:
                return single(bits)
            case ast.Name(text, offset):
                return self._named(text, offset)
        self.unsupported("an operand of this kind is not supported")

    def _named(self, text: str, offset: int) -> Value:
        if text in self.types:
            if offset:
                self.unsupported("a register with an offset is not an operand")
            return self.word(self.register(text))
        if text == "WARP_SZ":
            return WARP_SIZE
        if text.startswith("%"):
            return self.special(text)
        return self.address_of(text, offset)

    def special(self, name: str) -> Value:
        from codegen.lower.specials import special

        return special(self, name)

    def carry(self) -> Reg:
        """CC.CF: the carry out of the last `.cc` instruction."""
        if self._carry is None:
            self._carry = self.new(predicate=True)
            self._owned.add(self._carry)
        return self._carry

    def always(self, op: str, b: int) -> Reg:
        """The result of `op` with a constant operand, made once, where the routine begins."""
        found = self._always.get((op, b))
        if found is None:
            found = self._always[op, b] = self.new()
            self.routine.blocks[0].code.insert(0, Ins(op, found, b=b, at=self.at))
        return found

    def address_of(self, name: str, offset: int = 0) -> Value:
        """The address of a variable: constant, or in this thread's frame."""
        if name in self.frame:
            base = self.emit("s2r", self.new(), b=SPECIALS["%local"])
            at = Symbol(self.routine.frame, self.frame[name] + offset)
            return self.emit("add", self.new(), base, at)
        if name in self.unit.addresses:
            return Symbol(name, offset)
        if name in self.unit.functions:
            self.unsupported(
                f"'{name}' is a function: a function has no address here; call it by its name"
            )
        self.unsupported(f"'{name}' is not known")

    def reg(self, value: Value) -> Reg:
        """`value` in a register."""
        return value if isinstance(value, Reg) else self.emit("mov", self.new(), b=value)

    # ---- emitting ----
    def emit(
        self,
        op: str,
        d: Reg | None = None,
        a: Value | None = None,
        b: Value | Target | None = None,
        c: Reg | None = None,
        **more: object,
    ) -> Reg:
        """Adds an instruction under the current guard; returns its destination.

        Results that only this PTX instruction uses are computed whether or not it is guarded.
        """
        ins = Ins(op, d, a, b, c, at=self.at)
        for name, value in more.items():
            setattr(ins, name, value)
        temporary = bool(ins.defs) and not any(
            r in self._owned or r.fixed is not None for r in ins.defs
        )
        if self.guard is not None and not (temporary and op in OPS and ins.pure):
            ins.guard, ins.gneg = self.guard
        self.block.code.append(ins)
        return d if d is not None else FIXED[0]

    def logic(self, d: Reg, q: tuple[Reg, bool], r: Reg | None = None, k: int = mir.COPY) -> Reg:
        """Predicate logic: d = truth table `k` over q (perhaps negated) and r."""
        return self.emit("plop", d, q=q[0], qneg=q[1], r=r if r is not None else q[0], k=k)

    # ---- control flow ----
    def start(self, label: str) -> None:
        """A new block begins here; the code before runs on into it."""
        if self.block.follow is None and not (self.block.code and self.block.code[-1].ends):
            self.block.follow = label
        self.block = Block(label)
        self.routine.blocks.append(self.block)

    def label(self, name: str) -> str:
        if name not in self.labels:
            self.fail(f"label '{name}' is not defined")
        return name

    def fresh_label(self) -> str:
        self._labels += 1
        return f".{self._labels}"

    def branch_round(self) -> str | None:
        """For what cannot be guarded: branches round it, and returns the label to place after."""
        if self.guard is None:
            return None
        after = self.fresh_label()
        predicate, negated = self.guard
        self.guard = None
        self.emit("bra", b=Target(after), guard=predicate, gneg=not negated)
        self.start(self.fresh_label())
        return after
