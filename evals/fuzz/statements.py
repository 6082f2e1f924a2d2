"""Random statements that any thread may run on its own: assignments, branches, loops, atomics.

An accumulator of an atomic operation takes that operation only, so its last value does not depend
on the order; results of atomic operations are used only where no other thread has the element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from evals.fuzz.expressions import Array, Expressions
from evals.fuzz.features import ATOMICS
from evals.fuzz.tree import Stmt, block, line
from evals.fuzz.types import NARROW, TYPES, VECTORS

MOST_ROUNDS: Final = 24  # of nested loops, together
INC_SLOT, DEC_SLOT, SLOTS = 14, 15, 16  # of the accumulators: two for each of ATOMICS, then these
_WEIGHTS: Final = {
    "assign": 8, "compound": 4, "increment": 2, "array_store": 4, "byte_view": 3, "pointer": 4,
    "branch": 6, "else_if": 2, "switch": 4, "loop_for": 5, "loop_while": 3, "jump": 4, "bool_": 2,
    "array_2d": 2, "atomic": 5, "atomic_own": 3, "round_trip": 2, "pointer_call": 6,
    "struct_call": 3, "vector": 3,
}  # fmt: skip


class Statements(Expressions):
    """Draws statements. `level` is how deep bodies may still nest."""

    def __init__(self, random: Random, drawn: Counter[str]) -> None:
        super().__init__(random, drawn)
        self.rounds = 1
        self.in_loop = False
        self.number = 0
        self.squares: list[Array] = []  # arrays of 4 x 4
        self.flags: list[str] = []
        self.vectors: list[Array] = []  # arrays of the launch, aligned for vector loads
        self.pointer_functions: list[tuple[str, str, str]] = []  # name, element, second parameter
        self.struct_functions: list[tuple[str, str, str, str]] = []  # name, struct, its two types
        self.own: set[str] = set()  # types of which the kernel has accumulators and own elements
        self.limit = random.randrange(3, 40)

    def fresh(self, prefix: str) -> str:
        self.number += 1
        return f"{prefix}{self.number}"

    def body(self, count: int, level: int, *readable: tuple[str, str]) -> list[Stmt]:
        """Statements in an inner scope."""
        outer, self.scope = self.scope, self.scope.inner(*readable)
        try:
            return [self.statement(level) for _ in range(count)]
        finally:
            self.scope = outer

    def statement(self, level: int) -> Stmt:
        kinds = list(_WEIGHTS)
        while True:
            kind = self.random.choices(kinds, list(_WEIGHTS.values()))[0]
            write: Callable[[int], Stmt | None] = getattr(self, kind)
            if (made := write(level)) is not None:
                return made

    def target(self, types: Sequence[str] = tuple(TYPES)) -> tuple[str, str]:
        """A variable to assign to: (name, type). There is always one of some type."""
        found = [v for v in self.scope.writable if v[1] in types]
        return self.random.choice(found or self.scope.writable)

    # ---- values --------------------------------------------------------------------------------
    def assign(self, level: int) -> Stmt:
        name, type = self.target()
        self.drawn[f"assign.{type}"] += 1
        return line(f"{name} = {{0}};", self.expr(type, 3))

    def compound(self, level: int) -> Stmt:
        name, type = self.target()
        self.drawn[f"compound.{type}"] += 1
        return line(f"{name} {self.assignment(type)} {{0}};", self.expr(type, 2))

    def assignment(self, type: str) -> str:
        """An operator that assigns and cannot overflow: signed 32 and 64 bits do not add."""
        operators = ["&=", "|=", "^="]
        if type in NARROW or not TYPES[type].signed:
            operators += ["+=", "-="]
        if type not in ("u16", "i32", "i64"):
            operators.append("*=")
        return self.random.choice(operators)

    def increment(self, level: int) -> Stmt | None:
        name, type = self.target((*NARROW, "u32", "u64"))
        if type in ("i32", "i64"):
            return None
        self.drawn[f"increment.{type}"] += 1
        return line(self.random.choice([f"{name}++;", f"--{name};"]))

    def array_store(self, level: int) -> Stmt | None:
        if not self.scope.arrays:
            return None
        array = self.random.choice(self.scope.arrays)
        self.drawn[f"array-store.{array.type}"] += 1
        sign = self.random.choice(["=", self.assignment(array.type)])
        place = self.index(array.size)
        return line(f"{array.name}[{{0}}] {sign} {{1}};", place, self.small(array.type))

    def array_2d(self, level: int) -> Stmt | None:
        if not self.squares:
            return None
        self.drawn["array-2d"] += 1
        array, (name, type) = self.random.choice(self.squares), self.target()
        places = [self.index(4) for _ in range(4)]
        return line(
            f"{array.name}[{{0}}][{{1}}] = {{2}};\n"
            f"{name} = ({TYPES[type].c}){array.name}[{{3}}][{{4}}];",
            *places[:2], self.small(array.type), *places[2:],
        )  # fmt: skip

    def byte_view(self, level: int) -> Stmt:
        name, type = self.target()
        self.drawn[f"byte-view.{type}"] += 1
        place = self.index(TYPES[type].bits // 8)
        return line(f"((unsigned char *)&{name})[{{0}}] = {{1}};", place, self.small("u8"))

    def pointer(self, level: int) -> Stmt | None:
        """A pointer into one of two arrays, or into one."""
        if not self.scope.arrays:
            return None
        array = self.random.choice(self.scope.arrays)
        type, p = TYPES[array.type], self.fresh("p")
        others = [a for a in self.scope.arrays if a.type == array.type]
        other = self.random.choice(others)
        size = min(array.size, other.size)
        self.drawn[f"pointer.{array.type}"] += 1
        return line(
            f"{{{{ {type.c} *{p} = {{0}} ? {array.name} : {other.name} + {other.size - size};\n"
            f"  {p} += {{1}};\n  *{p} = {{2}}; }}}}",
            self.condition(1), self.index(size), self.small(array.type),
        )  # fmt: skip

    def bool_(self, level: int) -> Stmt | None:
        if not self.flags:
            return None
        self.drawn["bool"] += 1
        (name, type), flag = self.target(), self.random.choice(self.flags)
        return line(
            f"{flag} = {{0}} != 0;\n{name} = {flag} ? {{1}} : {{2}};",
            self.condition(2), self.small(type), self.small(type),
        )  # fmt: skip

    # ---- branches ------------------------------------------------------------------------------
    def few(self) -> int:
        return self.random.randrange(1, 4)

    def branch(self, level: int) -> Stmt | None:
        if level <= 0:
            return None
        condition = self.condition(2)
        if self.random.random() < 0.5:
            self.drawn["if"] += 1
            return block("if ({0})", self.body(self.few(), level - 1), condition)
        self.drawn["if-else"] += 1
        bodies = [self.body(self.few(), level - 1) for _ in range(2)]
        return Stmt(["if ({0}) {{", 0, "}} else {{", 1, "}}"], [condition], bodies)

    def else_if(self, level: int) -> Stmt | None:
        if level <= 0:
            return None
        self.drawn["else-if"] += 1
        conditions = [self.condition(1) for _ in range(2)]
        bodies = [self.body(1, level - 1) for _ in range(3)]
        parts = ["if ({0}) {{", 0, "}} else if ({1}) {{", 1, "}} else {{", 2, "}}"]
        return Stmt(parts, conditions, bodies)

    def switch(self, level: int) -> Stmt | None:
        if level <= 0:
            return None
        self.drawn["switch"] += 1
        dense = self.random.random() < 0.6
        count = self.random.randrange(2, 6)
        labels = range(count) if dense else self.random.sample(range(-60, 60), count)
        mask = 7 if dense else 63
        parts: list[str | int] = [f"switch ((int)({{0}} & {mask}u)) {{{{"]
        bodies, was = [], self.in_loop
        self.in_loop = False  # a break here would end the switch
        for at, label in enumerate(labels):
            bodies.append(self.body(self.random.randrange(1, 3), level - 1))
            falls = self.random.random() < 0.25
            self.drawn["switch-falls-through"] += falls
            parts += [f"case {label}: {{{{", at, "}}" if falls else "}} break;"]
        if self.random.random() < 0.6:
            bodies.append(self.body(1, level - 1))
            parts += ["default: {{", len(bodies) - 1, "}}"]
        self.in_loop = was
        return Stmt([*parts, "}}"], [self.expr("u32", 2)], bodies)

    # ---- loops ---------------------------------------------------------------------------------
    def looped(self, rounds: int, level: int, counter: str) -> list[Stmt] | None:
        """The body of a loop whose counter may be read, or None where loops nest too deep."""
        if level <= 0 or self.rounds * rounds > MOST_ROUNDS:
            return None
        was, self.in_loop = self.in_loop, True
        self.rounds *= rounds
        body = self.body(self.few(), level - 1, (counter, "i32"))
        self.rounds //= rounds
        self.in_loop = was
        return body

    def loop_for(self, level: int) -> Stmt | None:
        rounds, i = self.random.randrange(2, 7), self.fresh("i")
        body = self.looped(rounds, level, i)
        if body is None:
            return None
        step = self.random.choice([1, 1, 1, 2, 3])
        kind = self.random.choice(["for-up", "for-down", "for-variable"])
        self.drawn[kind] += 1
        if kind == "for-variable":
            # the bound is computed once: the body may change what it is made of
            end = self.fresh("n")
            text = f"for (int {i} = 0, {end} = (int)({{0}} % {rounds + 1}u); {i} < {end}; {i}++)"
            return block(text, body, self.expr("u32", 1))
        if kind == "for-up":
            return block(f"for (int {i} = 0; {i} < {rounds * step}; {i} += {step})", body)
        return block(f"for (int {i} = {rounds * step}; {i} > 0; {i} -= {step})", body)

    def loop_while(self, level: int) -> Stmt | None:
        rounds, n = self.random.randrange(2, 7), self.fresh("n")
        body = self.looped(rounds, level, n)
        if body is None:
            return None
        if self.random.random() < 0.5:
            self.drawn["while"] += 1
            parts = [f"{{{{ int {n} = {rounds};", f"while ({n}-- > 0 && {{0}}) {{{{", 0, "}} }}"]
        else:
            self.drawn["do-while"] += 1
            end = f"}}}} while (++{n} < {rounds} && {{0}}); }}}}"
            parts = [f"{{{{ int {n} = 0;", "do {{", 0, end]
        return Stmt(list(parts), [self.condition(2)], [body])

    def jump(self, level: int) -> Stmt | None:
        if not self.in_loop:
            return None
        kind = self.random.choice(["break", "continue"])
        self.drawn[kind] += 1
        return line(f"if ({{0}}) {kind};", self.condition(2))

    # ---- memory of the launch ------------------------------------------------------------------
    def atomic(self, level: int) -> Stmt | None:
        if not self.own:
            return None
        if "u32" in self.own and self.random.random() < 0.2:
            kind = self.random.choice(["atomicInc", "atomicDec"])
            self.drawn[kind] += 1
            slot = INC_SLOT if kind == "atomicInc" else DEC_SLOT
            return line(f"{kind}(&acc_u32[{slot}], {self.limit}u);")
        type, op = self.random.choice(sorted(self.own)), self.random.randrange(len(ATOMICS))
        self.drawn[f"atomic{ATOMICS[op]}.{type}"] += 1
        slot = f"{2 * op}u + {{0}}"
        return line(
            f"atomic{ATOMICS[op]}(&acc_{type}[{slot}], {{1}});", self.index(2), self.small(type)
        )

    def atomic_own(self, level: int) -> Stmt | None:
        """An atomic operation on an element that no other thread has, with its result."""
        if not self.own:
            return None
        type = self.random.choice(sorted(self.own))
        name, to = self.target()
        kind = self.random.choice(["atomicExch", "atomicCAS", "atomic-result"])
        self.drawn[f"{kind}.{type}"] += 1
        values = [self.small(type) for _ in range(2 if kind == "atomicCAS" else 1)]
        function = kind
        if kind == "atomic-result":
            function = f"atomic{self.random.choice(ATOMICS)}"
        places = ", ".join(f"{{{i}}}" for i in range(len(values)))
        return line(f"{name} = ({TYPES[to].c}){function}(&own_{type}[gid], {places});", *values)

    def round_trip(self, level: int) -> Stmt | None:
        if not self.own:
            return None
        self.drawn["global-round-trip"] += 1
        type = self.random.choice(sorted(self.own))
        name, to = self.target()
        return line(
            f"own_{type}[gid] = {{0}};\n{name} = ({TYPES[to].c})(own_{type}[gid] ^ {{1}});",
            self.expr(type, 2), self.small(type),
        )  # fmt: skip

    def vector(self, level: int) -> Stmt | None:
        """Several elements of an input at once, and one of them written."""
        if not self.vectors:
            return None
        array = self.random.choice(self.vectors)
        self.drawn[f"vector.{array.type}"] += 1
        type, (name, to), q = VECTORS[array.type], self.target(), self.fresh("q")
        fields = "xy" if type.endswith("2") else "xyzw"
        a, b, c = (self.random.choice(fields) for _ in range(3))
        return line(
            f"{{{{ {type} {q} = ((const {type} *){array.name})[{{0}}];\n"
            f"  {q}.{a} = {{1}};\n  {name} = ({TYPES[to].c})({q}.{b} ^ {q}.{c}); }}}}",
            self.index(array.size // len(fields)), self.small(array.type),
        )  # fmt: skip

    # ---- calls that change something -----------------------------------------------------------
    def pointer_call(self, level: int) -> Stmt | None:
        fits = [
            (f, a) for f in self.pointer_functions for a in self.scope.arrays if a.type == f[1]
        ]  # fmt: skip
        if not fits:
            return None
        (name, _, second), array = self.random.choice(fits)
        self.drawn["function-pointer"] += 1
        return line(f"{name}({array.name}, {{0}});", self.small(second))

    def struct_call(self, level: int) -> Stmt | None:
        if not self.struct_functions:
            return None
        function, struct, a, b = self.random.choice(self.struct_functions)
        self.drawn["function-struct"] += 1
        (x, x_type), (y, y_type), s = self.target(), self.target(), self.fresh("s")
        return line(
            f"{{{{ {struct} {s} = {function}({{0}}, {{1}});\n"
            f"  {x} = ({TYPES[x_type].c}){s}.x;\n  {y} = ({TYPES[y_type].c}){s}.y; }}}}",
            self.small(a), self.small(b),
        )  # fmt: skip
