"""Random device functions: plain, not inlined, recursive, through pointers, with structures."""

from __future__ import annotations

from typing import Final

from evals.fuzz.expressions import Array, Function, Scope
from evals.fuzz.statements import Statements
from evals.fuzz.tree import Expr, Stmt, block, line
from evals.fuzz.types import TYPES

# Division as C++ leaves it undefined only where a thread would divide by 0 or overflow.
PREAMBLE: Final = """\
template <class T> __device__ T quotient(T a, T b) {
  return b == (T)0 || b == (T)-1 ? (T)(a ^ b) : (T)(a / b);
}
template <class T> __device__ T remainder(T a, T b) {
  return b == (T)0 || b == (T)-1 ? (T)(a + (unsigned char)b / 2) : (T)(a % b);
}
template <class T, int N> __device__ T mixed(T a, T b) {
  T r = a;
  for (int i = 0; i < N; i++) r = (T)(r ^ (b >> i));
  return r;
}
"""
_KINDS: Final = ("plain", "noinline", "early", "recursive", "pointer", "struct", "template")


def write(g: Statements, tables: list[Array], prefix: str) -> list[Stmt]:
    """A few functions, and their names for the generator `g` to call."""
    made: list[Stmt] = []
    for _ in range(g.random.randrange(0, 4)):
        kind, name = g.random.choice(_KINDS), f"{prefix}_{g.fresh('f')}"
        type, params = g.any_type(), [g.any_type() for _ in range(g.random.randrange(1, 4))]
        if kind == "template":
            made.append(_template(g, name, type))
            continue
        if kind == "recursive":
            params = [type, "i32"]
        elif kind == "pointer":
            params = params[:1]
        elif kind == "struct":
            params = params[:2] if len(params) > 1 else [params[0], type]
        names = [(f"a{i}", t) for i, t in enumerate(params)]
        variable = (g.fresh("v"), type)
        writable = [n for n in [*names, variable] if n[0] != "a1" or kind != "recursive"]
        arrays = [Array("p", type, 4)] if kind == "pointer" else []
        outer = g.scope
        g.scope = Scope(list(names), writable, arrays, tables, list(outer.functions))
        declared = line(f"{TYPES[type].c} {variable[0]} = {{0}};", g.expr(type, 1))
        g.scope.readable.append(variable)
        body = [declared, *[g.statement(1) for _ in range(g.random.randrange(1, 4))]]
        if kind in ("plain", "noinline", "early"):
            g.drawn[{"plain": "function", "noinline": "function-noinline"}.get(
                kind, "function-early-return")] += 1  # fmt: skip
            made.append(_plain(g, kind, name, type, params, body))
            outer.functions.append(Function(name, type, tuple(params)))
        elif kind == "recursive":
            g.drawn["function-recursive"] += 1
            made.append(_recursive(g, name, type, body))
            outer.functions.append(Function(name, type, tuple(params), recursive=True))
        elif kind == "pointer":
            inline = g.random.choice(["", "__noinline__ "])
            head = f"__device__ {inline}void {name}({TYPES[type].c} *p, {TYPES[params[0]].c} a0)"
            made.append(block(head, [*body, g.array_store(1) or declared]))
            g.pointer_functions.append((name, type, params[0]))
        else:
            made.append(_structure(g, name, params, body))
            g.struct_functions.append((name, f"{name}_s", params[0], params[1]))
        g.scope = outer
    return made


def _list(params: list[str]) -> str:
    return ", ".join(f"{TYPES[t].c} a{i}" for i, t in enumerate(params))


def _plain(
    g: Statements, kind: str, name: str, type: str, params: list[str], body: list[Stmt]
) -> Stmt:
    inline = "__noinline__ " if kind == "noinline" else g.random.choice(["", "__forceinline__ "])
    if kind == "early":
        at = g.random.randrange(1, len(body) + 1)
        body.insert(at, line("if ({0}) return {1};", g.condition(1), g.small(type)))
    head = f"__device__ {inline}{TYPES[type].c} {name}({_list(params)})"
    return block(head, [*body, line("return {0};", g.expr(type, 2))])


def _recursive(g: Statements, name: str, type: str, body: list[Stmt]) -> Stmt:
    """name(a0, a1) calls itself with a1 - 1 until that is 0."""
    c = TYPES[type].c
    first = line("if (a1 <= 0) return {0};", g.small(type))
    deeper = line(f"a0 = {name}({{0}}, a1 - 1);", g.small(type))
    at = g.random.randrange(1, len(body) + 1)
    whole = [body[0], first, *body[1:at], deeper, *body[at:], line("return {0};", g.expr(type, 1))]
    return block(f"__device__ {c} {name}({c} a0, int a1)", whole)


def _structure(g: Statements, name: str, params: list[str], body: list[Stmt]) -> Stmt:
    a, b = (TYPES[t].c for t in params)
    inline = g.random.choice(["", "__noinline__ "])
    head = (
        f"struct {name}_s {{{{ {a} x; {b} y; }}}};\n"
        f"__device__ {inline}{name}_s {name}({_list(params)})"
    )
    end = line(f"{name}_s r;\nr.x = {{0}};\nr.y = {{1}};\nreturn r;", *(g.small(t) for t in params))
    return block(head, [*body, end])


def _template(g: Statements, name: str, type: str) -> Stmt:
    """A function that calls an instance of a template."""
    g.drawn["function-template"] += 1
    c, count = TYPES[type].c, g.random.randrange(2, 7)
    a, b = Expr(type, "a0"), Expr(type, "a1")
    g.scope.functions.append(Function(name, type, (type, type)))
    return block(
        f"__device__ {c} {name}({c} a0, {c} a1)",
        [line(f"return mixed<{c}, {count}>({{0}}, {{1}});", *g.random.sample([a, b], 2))],
    )
