"""A random kernel with its launch: source text, arguments, inputs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from evals.fuzz import functions
from evals.fuzz.expressions import Array, Scope
from evals.fuzz.statements import DEC_SLOT, INC_SLOT, SLOTS
from evals.fuzz.tree import Expr, Stmt, block, line, render
from evals.fuzz.types import TYPES, WIDE, literal, value
from evals.fuzz.uniform import Uniform

INPUTS: Final = 16  # elements of an input
THREADS: Final = {8: 5, 16: 5, 32: 4, 64: 1}  # threads of a block: weight


@dataclass
class Kernel:
    """`parts` are what stands at the file's top level; the last is the kernel itself.

    `case` is its launch in the format of case files; its expectation is empty.
    """

    name: str
    parts: list[Stmt]
    case: dict[str, Any]
    drawn: Counter[str] = field(default_factory=Counter)

    def source(self) -> str:
        """The kernel and what it calls, without the preamble that all share."""
        return render(self.parts)


def write(seed: int, number: int, size: int | None = None) -> Kernel:
    """Kernel `number` of a seed: always the same. `size` is how many statements it has."""
    random = Random(f"{seed}:{number}")
    name = f"fuzz_{seed}_{number}"
    drawn: Counter[str] = Counter()
    threads = random.choices(list(THREADS), list(THREADS.values()))[0]
    g = Uniform(random, drawn, threads)
    grid, block_ = _launch(random, threads, drawn)
    table = Array(f"{name}_t", g.any_type(), 8)
    drawn["constant-table"] += 1
    parts = [_table(table, random)]
    parts += functions.write(g, [table], name)

    inputs = [Array(f"in{i}", g.any_type(), INPUTS) for i in range(2)]
    scalars = [(f"s{i}", g.any_type()) for i in range(2)]
    places = [("blockIdx.x", "u32"), ("blockIdx.y", "u32")]
    g.launch_scope = Scope(readable=[*scalars, *places])
    thread = [("t", "u32"), ("gid", "u32")]
    known = [*scalars, *thread]
    g.scope = Scope(known, [], [], [*inputs, table], g.scope.functions)
    body, variables, arrays = _declarations(g, inputs)
    g.scope = Scope([*known, *variables], variables, arrays, [*inputs, table], g.scope.functions)
    g.own, g.vectors = set(random.sample(WIDE, 2)), inputs
    count = size if size is not None else random.randrange(5, 12)
    written = [g.top(2) for _ in range(count)]
    stores = [line(f"o_{v}[gid] = {v};") for v, _ in variables]
    stores += [_checksum(g, a) for a in [*arrays, *g.squares]]

    total = threads * grid[0] * grid[1]
    arguments = _arguments(g, inputs, scalars, variables, total)
    arguments += [_argument(f"h_{a.name}", "out", "u32", total) for a in [*arrays, *g.squares]]
    if g.dynamic_used:
        g.shared.append(line("extern __shared__ unsigned dyn[];"))
    whole = [*_prologue(threads), *g.shared, *body, *written, *stores]
    head = ",\n    ".join(_parameter(a) for a in arguments)
    parts.append(block(f"__global__ void {name}(\n    {head})", whole))
    case = {
        "kernel": name, "file": f"{name}.cu", "family": "fuzz", "grid": grid, "block": block_,
        "shared_bytes": 4 * threads if g.dynamic_used else 0, "args": arguments,
        "expect": {a["name"]: [] for a in arguments if a["kind"] in ("out", "inout")},
        "note": f"random kernel {number} of seed {seed}",
    }  # fmt: skip
    return Kernel(name, parts, case, drawn)


def _launch(random: Random, threads: int, drawn: Counter[str]) -> tuple[list[int], list[int]]:
    blocks = random.choice([1, 1, 2, 3]) if threads < 64 else 1
    grid, shape = [blocks, 1, 1], [threads, 1, 1]
    if random.random() < 0.25:
        drawn["two-dimensions"] += 1
        shape = [threads // 4, 4, 1]
        grid = [1, blocks, 1]
    drawn["several-blocks"] += blocks > 1
    drawn["several-warps"] += threads > 32
    return grid, shape


def _table(table: Array, random: Random) -> Stmt:
    t = TYPES[table.type]
    values = ", ".join(literal(t, value(t, random)) for _ in range(table.size))
    return line(f"__constant__ {t.c} {table.name}[{table.size}] = {{{{{values}}}}};")


def _prologue(threads: int) -> list[Stmt]:
    return [
        line("unsigned t = threadIdx.y * blockDim.x + threadIdx.x;"),
        line(f"unsigned gid = (blockIdx.y * gridDim.x + blockIdx.x) * {threads}u + t;"),
    ]


def _declarations(
    g: Uniform, inputs: list[Array]
) -> tuple[list[Stmt], list[tuple[str, str]], list[Array]]:
    """Variables and arrays with first values that depend on the thread."""
    made: list[Stmt] = []
    variables = [(f"v{i}", g.any_type()) for i in range(g.random.randrange(4, 7))]
    for name, type in variables:
        source = g.random.choice(inputs)
        place = f"(gid + {g.random.randrange(INPUTS)}u) & {INPUTS - 1}u"
        first = Expr(type, f"({TYPES[type].c}){source.name}[{place}]")
        made.append(line(f"{TYPES[type].c} {name} = {{0}};", first))
        g.scope.readable.append((name, type))
    arrays = [
        Array(f"arr{i}", g.any_type(), g.random.choice([4, 8]))
        for i in range(g.random.randrange(0, 3))
    ]
    called = [element for _, element, _ in g.pointer_functions]
    arrays += [Array(f"arr{len(arrays) + i}", t, 4) for i, t in enumerate(called)]
    for array in arrays:
        made.append(_array(g, f"{array.name}[{array.size}]", array, array.size))
    if g.random.random() < 0.2:
        square = Array(g.fresh("sq"), g.any_type(), 16)
        g.squares.append(square)
        made.append(_array(g, f"{square.name}[4][4]", square, 16))
    if g.random.random() < 0.4:
        g.flags.append(g.fresh("flag"))
        made.append(line(f"bool {g.flags[0]} = {{0}} != 0;", g.condition(1)))
    return made, variables, arrays


def _array(g: Uniform, declarator: str, array: Array, size: int) -> Stmt:
    """An array and the loop that fills it."""
    c, i = TYPES[array.type].c, g.fresh("i")
    return line(
        f"{c} {declarator};\n"
        f"for (int {i} = 0; {i} < {size}; {i}++) (({c} *){array.name})[{i}] = "
        f"({c})({{0}} + {i} * 3);",
        Expr("u32", f"(unsigned){g.random.choice(g.scope.readable)[0]}"),
    )


def _checksum(g: Uniform, array: Array) -> Stmt:
    h, i = g.fresh("h"), g.fresh("i")
    return line(
        f"unsigned {h} = 0;\n"
        f"for (int {i} = 0; {i} < {array.size}; {i}++) "
        f"{h} = {h} * 31u + (unsigned)(({TYPES[array.type].c} *){array.name})[{i}];\n"
        f"h_{array.name}[gid] = {h};"
    )


def _arguments(
    g: Uniform,
    inputs: list[Array],
    scalars: list[tuple[str, str]],
    variables: list[tuple[str, str]],
    total: int,
) -> list[dict[str, Any]]:
    def values(type: str, count: int) -> list[int]:
        return [value(TYPES[type], g.random) for _ in range(count)]

    made = [_argument(a.name, "in", a.type, values(a.type, a.size)) for a in inputs]
    made += [_argument(name, "scalar", type, values(type, 1)) for name, type in scalars]
    made += [_argument(f"o_{name}", "out", type, total) for name, type in variables]
    for type in sorted(g.own):
        first = values(type, SLOTS)
        if type == "u32":  # counters start below their limit, where their order does not matter
            first[INC_SLOT], first[DEC_SLOT] = 1, 1
        made.append(_argument(f"acc_{type}", "inout", type, first))
        made.append(_argument(f"own_{type}", "inout", type, values(type, total)))
    return made


def _argument(name: str, kind: str, type: str, given: list[int] | int) -> dict[str, Any]:
    """An argument of a case: its values, or how many elements it has."""
    field_ = "count" if isinstance(given, int) else "values"
    return {"name": name, "kind": kind, "type": type, field_: given}


def _parameter(argument: dict[str, Any]) -> str:
    c = TYPES[argument["type"]].c
    if argument["kind"] == "scalar":
        return f"{c} {argument['name']}"
    constant = "const " if argument["kind"] == "in" else ""
    return f"{constant}{c} *{argument['name']}"
