"""Random expressions: pure, of a known type, and well defined for all values of their parts.

Signed sums wrap in the unsigned type, or have parts too small to overflow; shifts are by less than
the width; divisors are neither 0 nor -1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Final

from evals.fuzz.features import COMPARISONS, INTRINSICS, OPERATORS
from evals.fuzz.tree import Expr
from evals.fuzz.types import NARROW, TYPES, literal, value

LEAVES: Final = ("literal", "variable", "variable", "variable", "element")
_BY_RESULT: Final = {
    type: [name for name, types in INTRINSICS.items() if types[0] == type] for type in TYPES
}


@dataclass(frozen=True)
class Array:
    """Something to index: a power of two elements."""

    name: str
    type: str
    size: int


@dataclass(frozen=True)
class Function:
    """A pure device function. The last parameter of a recursive one is its depth."""

    name: str
    type: str
    params: tuple[str, ...]
    recursive: bool = False


@dataclass
class Scope:
    """What the statement being written may use. `writable` are the variables among `readable`."""

    readable: list[tuple[str, str]] = field(default_factory=list)
    writable: list[tuple[str, str]] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    tables: list[Array] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)

    def inner(self, *readable: tuple[str, str]) -> Scope:
        """The scope of a body, where `readable` (name, type) are known besides."""
        return Scope(
            [*self.readable, *readable], self.writable, self.arrays, self.tables, self.functions
        )


class Expressions:
    """Draws expressions, and counts in `drawn` what it drew."""

    def __init__(self, random: Random, drawn: Counter[str]) -> None:
        self.random = random
        self.drawn = drawn
        self.scope = Scope()

    def any_type(self) -> str:
        return self.random.choice(list(TYPES))

    def expr(self, type: str, depth: int) -> Expr:
        """An expression of `type`, at most `depth` operators deep."""
        if depth <= 0 or self.random.random() < 0.12:
            return self.leaf(type)
        kind = self.random.randrange(10)
        if kind < 2:
            return self.cast(self.any_type(), type, depth)
        if kind == 2 and _BY_RESULT[type]:
            return self.intrinsic(self.random.choice(_BY_RESULT[type]), depth)
        if kind == 3 and type == "i32":
            return self.condition(depth)
        choices = [op for op, types in OPERATORS.items() if type in types and op not in LEAVES]
        op = self.random.choice([c for c in choices if c not in ("compare", "call")])
        if kind >= 4 and any(f.type == type for f in self.scope.functions):
            op = "call"
        self.drawn[f"{op}.{type}"] += 1
        return self.operator(op, type, depth - 1)

    def small(self, type: str) -> Expr:
        return self.expr(type, self.random.randrange(3))

    def cast(self, source: str, type: str, depth: int) -> Expr:
        if source != type:
            self.drawn[f"cast.{source}.{type}"] += 1
        return Expr(type, f"({TYPES[type].c})({{0}})", [self.expr(source, depth - 1)])

    def leaf(self, type: str) -> Expr:
        """A literal, a variable or an element of an array."""
        kind = self.random.choice(LEAVES)
        names = [name for name, t in self.scope.readable if t == type]
        arrays = [a for a in (*self.scope.arrays, *self.scope.tables) if a.type == type]
        if kind == "variable" and not names:
            if self.scope.readable and self.random.random() < 0.7:
                name, source = self.random.choice(self.scope.readable)
                if source != type:
                    self.drawn[f"cast.{source}.{type}"] += 1
                return Expr(type, f"({TYPES[type].c}){{0}}", [Expr(source, name)])
            kind = "literal"
        if kind == "element" and not arrays:
            kind = "variable" if names else "literal"
        self.drawn[f"{kind}.{type}"] += 1
        if kind == "variable":
            return Expr(type, self.random.choice(names))
        if kind == "element":
            array = self.random.choice(arrays)
            return Expr(type, f"{array.name}[{{0}}]", [self.index(array.size)])
        return Expr(type, literal(TYPES[type], value(TYPES[type], self.random)))

    def index(self, size: int) -> Expr:
        """An index below `size`, a power of two."""
        if self.random.random() < 0.3:
            return Expr("u32", f"{self.random.randrange(size)}u")
        return Expr("u32", f"({{0}} & {size - 1}u)", [self.expr("u32", 1)])

    def operator(self, op: str, type: str, depth: int) -> Expr:
        t = TYPES[type]
        wrap = t.promoted
        half = t.bits // 2 + t.signed
        # exact: the parts are too small for the result to overflow
        exact_sum = "({{0}} {0} {{1}})" if type in NARROW else "(({{0}} >> 2) {0} ({{1}} >> 2))"
        exact_product = (
            "({0} * {1})" if type in NARROW else f"(({{0}} >> {half}) * ({{1}} >> {half}))"
        )
        shift, spread = self.random.randrange(t.bits), self.random.randrange(1, t.bits)
        divisor = self.divisor(type)
        texts = {
            "add": f"(({wrap}){{0}} + ({wrap}){{1}})", "sub": f"(({wrap}){{0}} - ({wrap}){{1}})",
            "mul": f"(({wrap}){{0}} * ({wrap}){{1}})", "neg": f"(0 - ({wrap}){{0}})",
            "add-exact": exact_sum.format("+"), "sub-exact": exact_sum.format("-"),
            "mul-exact": exact_product, "not": "(~{0})", "and": "({0} & {1})",
            "or": "({0} | {1})", "xor": "({0} ^ {1})",
            "shift-by-constant": self.random.choice(
                [f"({{0}} >> {shift})", f"(({wrap}){{0}} << {shift})"]),
            "div": "quotient({0}, {1})", "rem": "remainder({0}, {1})",
            "div-by-constant": f"({{0}} / {divisor})", "rem-by-constant": f"({{0}} % {divisor})",
            "min": "min({0}, {1})", "max": "max({0}, {1})", "abs": "abs({0} >> 1)",
            "rotate": f"(({{0}} << {spread}) | ({{1}} >> {t.bits - spread}))",
        }  # fmt: skip
        if op in ("shl", "shr"):
            mask = 31 if type in NARROW and self.random.random() < 0.5 else t.bits - 1
            head = f"({wrap}){{0}} <<" if op == "shl" else "{0} >>"
            text = f"({head} ({{1}} & {mask}u))"
            parts = [self.expr(type, depth), self.expr("u32", depth - 1)]
        elif op == "ternary":
            text, parts = "({0} ? {1} : {2})", [self.condition(depth)]
            parts += [self.expr(type, depth) for _ in range(2)]
        elif op == "call":
            return self.call(type, depth)
        else:
            text = texts[op]
            first = self.expr(type, depth)
            parts = [first, self.expr(type, depth)] if "{1}" in text else [first]
            if op == "rotate" and self.random.random() < 0.7:
                parts[1] = first
        return Expr(type, f"({t.c}){text}", parts)

    def divisor(self, type: str) -> str:
        t = TYPES[type]
        number = 0
        while number in (0, -1):
            number = value(t, self.random)
        return literal(t, number)

    def intrinsic(self, name: str, depth: int) -> Expr:
        self.drawn[name] += 1
        result, *types = INTRINSICS[name]
        places = ", ".join(f"{{{i}}}" for i in range(len(types)))
        return Expr(result, f"{name}({places})", [self.expr(t, depth - 1) for t in types])

    def call(self, type: str, depth: int) -> Expr:
        function = self.random.choice([f for f in self.scope.functions if f.type == type])
        args = [self.expr(t, min(depth, 1)) for t in function.params]
        if function.recursive:
            args[-1] = Expr("i32", "(int)({0} & 3u)", [self.expr("u32", 1)])
        places = ", ".join(f"{{{i}}}" for i in range(len(args)))
        return Expr(type, f"{function.name}({places})", args)

    def condition(self, depth: int) -> Expr:
        """A truth value, as an int of 0 or 1."""
        kind = self.random.randrange(10) if depth > 0 else 9
        if kind < 3:
            name, text = (("logical-and", "({0} && {1})"), ("logical-or", "({0} || {1})"),
                          ("logical-not", "(!{0})"))[kind]  # fmt: skip
            self.drawn[name] += 1
            parts = [self.condition(depth - 1) for _ in range(1 if kind == 2 else 2)]
            return Expr("i32", f"(int){text}", parts)
        compare = self.random.choice(COMPARISONS)
        type = other = self.any_type()
        if kind == 3:
            other = self.any_type()
            self.drawn["mixed-types"] += 1
        self.drawn[f"compare.{compare}"] += 1
        self.drawn[f"compare.{type}"] += 1
        parts = [self.expr(type, depth - 1), self.expr(other, depth - 1)]
        return Expr("i32", f"(int)({{0}} {compare} {{1}})", parts)
