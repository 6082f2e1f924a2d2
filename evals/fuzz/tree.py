"""Kernels as trees: text is made of them, and a reducer cuts them.

Every expression is well defined whatever values its parts have, and any statement may be left out,
so a kernel stays well defined when a statement goes or a part is replaced by another of its type.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Expr:
    """`text` with {0}, {1}… for the parts; the whole has the type `type`."""

    type: str
    text: str
    args: list[Expr] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text.format(*self.args)


@dataclass
class Stmt:
    """Lines of text and bodies in turn: `parts` holds text (with {0}… for the expressions) and
    numbers of bodies. `name` is what the statement declares, for the reducer."""

    parts: list[str | int]
    exprs: list[Expr] = field(default_factory=list)
    bodies: list[list[Stmt]] = field(default_factory=list)

    def lines(self, indent: int) -> list[str]:
        found = []
        for part in self.parts:
            if isinstance(part, int):
                for inner in self.bodies[part]:
                    found += inner.lines(indent + 1)
            else:
                text = part.format(*self.exprs)
                found += ["  " * indent + line for line in text.split("\n")]
        return found


def line(text: str, *exprs: Expr) -> Stmt:
    """A statement without a body."""
    return Stmt([text], list(exprs))


def block(head: str, body: list[Stmt], *exprs: Expr, tail: str = "}}") -> Stmt:
    """`head {`, a body, and `}`."""
    return Stmt([f"{head} {{{{", 0, tail], list(exprs), [body])


def render(statements: list[Stmt], indent: int = 0) -> str:
    return "".join(text + "\n" for stmt in statements for text in stmt.lines(indent))
