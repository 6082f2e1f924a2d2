"""Random statements that all threads of a block run together: barriers, shared memory, warps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final

from evals.fuzz.expressions import Scope
from evals.fuzz.features import ATOMICS
from evals.fuzz.statements import Statements
from evals.fuzz.tree import Stmt, block, line
from evals.fuzz.types import TYPES, WIDE

_WEIGHTS: Final = {
    "exchange": 4, "tree_sum": 1, "shared_atomic": 3, "dynamic": 1, "shuffle": 6, "vote": 3,
    "syncwarp": 1, "uniform_for": 2, "uniform_if": 2,
}  # fmt: skip


class Uniform(Statements):
    """Draws statements of a kernel's outermost level, for blocks of `threads`.

    `shared` collects the declarations of shared arrays; `launch_scope` is what is the same in all
    threads of a block.
    """

    def __init__(self, random: Random, drawn: Counter[str], threads: int) -> None:
        super().__init__(random, drawn)
        self.threads = threads
        self.width = min(threads, 32)
        self.shared: list[Stmt] = []
        self.dynamic_used = False
        self.launch_scope = Scope()

    def top(self, level: int) -> Stmt:
        """A statement of the outermost level: half of them concern single threads."""
        if self.random.random() < 0.55:
            return self.statement(level)
        kind = self.random.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        write: Callable[[int], Stmt | None] = getattr(self, kind)
        return write(level) or self.statement(level)

    def shared_array(self, type: str, size: int) -> str:
        name = self.fresh("sh")
        self.shared.append(line(f"__shared__ {TYPES[type].c} {name}[{size}];"))
        return name

    def exchange(self, level: int) -> Stmt:
        """Every thread leaves a value, and takes another's."""
        type = self.any_type()
        self.drawn["barrier"] += 1
        self.drawn[f"exchange.{type}"] += 1
        sh, (name, to) = self.shared_array(type, self.threads), self.target()
        return line(
            f"{sh}[t] = {{0}};\n__syncthreads();\n"
            f"{name} = ({TYPES[to].c})({sh}[{{1}}] ^ {{2}});\n__syncthreads();",
            self.expr(type, 2), self.index(self.threads), self.small(type),
        )  # fmt: skip

    def tree_sum(self, level: int) -> Stmt:
        self.drawn["tree-sum"] += 1
        sh, (name, to), d = self.shared_array("u32", self.threads), self.target(), self.fresh("d")
        return line(
            f"{sh}[t] = {{0}};\n__syncthreads();\n"
            f"for (unsigned {d} = {self.threads // 2}; {d} > 0; {d} >>= 1) {{{{\n"
            f"  if (t < {d}) {sh}[t] += {sh}[t + {d}];\n  __syncthreads();\n}}}}\n"
            f"{name} = ({TYPES[to].c}){sh}[0];\n__syncthreads();",
            self.expr("u32", 2),
        )  # fmt: skip

    def shared_atomic(self, level: int) -> Stmt:
        self.drawn["shared-atomic"] += 1
        type, op = self.random.choice(WIDE), self.random.choice(ATOMICS)
        self.drawn[f"atomic{op}.{type}"] += 1
        sh, (name, to) = self.shared_array(type, 4), self.target()
        return line(
            f"if (t < 4) {sh}[t] = ({TYPES[type].c})(t * 5);\n__syncthreads();\n"
            f"if ({{0}}) atomic{op}(&{sh}[{{1}}], {{2}});\n__syncthreads();\n"
            f"{name} = ({TYPES[to].c}){sh}[{{3}}];\n__syncthreads();",
            self.condition(1), self.index(4), self.small(type), self.index(4),
        )  # fmt: skip

    def dynamic(self, level: int) -> Stmt:
        self.drawn["dynamic-shared"] += 1
        self.dynamic_used = True
        name, to = self.target()
        return line(
            "dyn[t] = {0};\n__syncthreads();\n"
            f"{name} = ({TYPES[to].c})dyn[{{1}}];\n__syncthreads();",
            self.expr("u32", 2), self.index(self.threads),
        )  # fmt: skip

    def mask(self) -> str:
        return f"0x{(1 << self.width) - 1:x}u"

    def shuffle(self, level: int) -> Stmt:
        type, how = self.random.choice(WIDE), self.random.choice(["idx", "up", "down", "xor"])
        self.drawn[f"shuffle-{how}.{type}"] += 1
        name, to = self.target()
        function = "__shfl_sync" if how == "idx" else f"__shfl_{how}_sync"
        width = self.random.choice([w for w in (4, 8, 16, 32) if w <= self.width])
        index = self.index(width)
        if how == "idx":
            index.text = f"(int){index.text}"
        return line(
            f"{name} = ({TYPES[to].c}){function}({self.mask()}, {{0}}, {{1}}, {width});",
            self.expr(type, 2), index,
        )  # fmt: skip

    def vote(self, level: int) -> Stmt:
        how = self.random.choice(["ballot", "any", "all"])
        self.drawn[how] += 1
        name, to = self.target()
        return line(
            f"{name} = ({TYPES[to].c})__{how}_sync({self.mask()}, {{0}});", self.condition(2)
        )

    def syncwarp(self, level: int) -> Stmt:
        self.drawn["syncwarp"] += 1
        return line(f"__syncwarp({self.mask()});")

    def uniform_for(self, level: int) -> Stmt | None:
        rounds, i = self.random.randrange(2, 4), self.fresh("u")
        if level <= 0 or self.rounds * rounds > 6:
            return None
        self.drawn["uniform-for"] += 1
        self.rounds *= rounds
        body = self.together(self.random.randrange(2, 4), level - 1, (i, "i32"))
        self.rounds //= rounds
        return block(f"for (int {i} = 0; {i} < {rounds}; {i}++)", body)

    def uniform_if(self, level: int) -> Stmt | None:
        if level <= 0:
            return None
        self.drawn["uniform-if"] += 1
        outer, self.scope = self.scope, self.launch_scope
        condition = self.condition(2)
        self.scope = outer
        bodies = [self.together(2, level - 1) for _ in range(2)]
        return Stmt(["if ({0}) {{", 0, "}} else {{", 1, "}}"], [condition], bodies)

    def together(self, count: int, level: int, *readable: tuple[str, str]) -> list[Stmt]:
        """Statements of an inner body that all threads still run together."""
        outer, self.scope = self.scope, self.scope.inner(*readable)
        try:
            return [self.top(level) for _ in range(count)]
        finally:
            self.scope = outer
