"""The PTX programs in `ptx/`, one or more for each integer instruction and type.

Each runs on the interpreter and on the sparse engine, over corner values, and must give what the
PTX ISA document says (`ptx_laws`, `ptx_warp_laws`).
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import codegen
import vgpu
from tests.codegen.ptx_instructions import M
from tests.codegen.ptx_laws import LAWS
from tests.codegen.ptx_warp_laws import ATOMICS, BLOCK, WHOLE, in_some_order, reduced

FOLDER: Final = Path(__file__).parent / "ptx"
ENGINES: Final = ("interpreter", "sparse")
CORNERS: Final = (
    0, 1, 2, 31, 32, 33, 127, 255, 0x8000, 0xFFFF, 0x12345678, 0x7FFFFFFF, 0x80000000,
    0xDEADBEEF, 0xFFFFFF80, 0xFFFFFFFF,
)  # fmt: skip
A: Final = [a for a in CORNERS for _ in CORNERS]
B: Final = [b for _ in CORNERS for b in CORNERS]
C: Final = [CORNERS[(7 * t + t // 16 * 3) % 16] for t in range(len(A))]
SERIAL: Final = 64


@cache
def program(name: str) -> vgpu.Program:
    return codegen.compile_file(FOLDER / f"{name}.ptx")


def run(
    name: str, engine: str, columns: list[list[int]], cells: list[int], outputs: int, block: int
) -> tuple[list[list[int]], list[int]]:
    """(outputs of each thread, the shared words afterwards)."""
    count = len(columns[0])
    inputs = {key: vgpu.Array("u32", v) for key, v in zip("abc", columns, strict=True)}
    inputs["cells"] = vgpu.Array("u32", cells)
    wanted = {"out": ("u32", count * outputs), "cells": ("u32", len(cells))}
    done = vgpu.Machine(engine).run(
        program(name), inputs, wanted, grid=count // block, block=block, max_passes=20_000
    )
    out = done.outputs["out"]
    return [out[t : t + outputs] for t in range(0, len(out), outputs)], done.outputs["cells"]


def threads_of_their_own() -> list[list[int]]:
    """Operands for the atomic programs: no two threads alike."""
    rng = random.Random(7)
    a = rng.sample(range(1 << 32), SERIAL)
    return [a, [v & 31 | rng.getrandbits(27) << 5 for v in rng.choices(range(32), k=SERIAL)], a]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [*LAWS, *WHOLE])
def test_a_program_gives_what_the_document_says(name: str, engine: str) -> None:
    if name in LAWS:
        want = [list(LAWS[name](a, b, c)) for a, b, c in zip(A, B, C, strict=True)]
    else:
        want = [list(row) for row in WHOLE[name](A, B, C)]
    # a stack for each thread: fewer of them at a time
    block = 16 if name == "recursion" else BLOCK
    got, _ = run(name, engine, [A, B, C], [0] * 8, len(want[0]), block)
    for a, b, c, row, due in zip(A, B, C, got, want, strict=True):
        assert row == [int(v) & M for v in due], f"a={a:#x} b={b:#x} c={c:#x}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ATOMICS)
def test_an_atomic_operation_has_some_order(name: str, engine: str) -> None:
    law = ATOMICS[name]
    columns = threads_of_their_own()
    if "inc" in name or "dec" in name:
        columns[1] = [b & 31 for b in columns[1]]
    if name == "atom_cas":
        columns[0] = [t + 1 for t in range(SERIAL)]
    shared = name.endswith("_shared")
    rows, cells = run(name, engine, columns, [law.first] + [0] * 7, 1, SERIAL)
    threads = {}
    for t, (a, b) in enumerate(zip(columns[0], columns[1], strict=True)):
        if name == "atom_guarded" and not a >> 31:
            assert rows[t] == [12345]
            continue
        threads[t] = (rows[t][0], lambda old, a=a, b=b, t=t: law.change(old, a, b, t))
    assert in_some_order(law.first, cells[0], threads), (shared, cells, rows)


@pytest.mark.parametrize("engine", ENGINES)
def test_reductions_add_up(engine: str) -> None:
    columns = threads_of_their_own()
    cells = [1, 2, 3, M, 0, 6, 70, 60]
    _, got = run("red", engine, columns, cells, 1, SERIAL)
    assert got == reduced(cells, *columns)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["spin_cas", "spin_exch"])
def test_a_lock_that_all_lanes_spin_on_is_passed_on(name: str, engine: str) -> None:
    a = list(range(1, SERIAL + 1))
    _, cells = run(name, engine, [a, a, a], [0] * 8, 1, SERIAL)
    assert cells[0] == 0
    if name == "spin_cas":
        assert cells[1] == sum(a)


@pytest.mark.parametrize("engine", ENGINES)
def test_half_words_are_exchanged_one_after_the_other(engine: str) -> None:
    """Each thread waits for its number and leaves the next; the other half stays as it is."""
    a = [0] * SERIAL
    rows, cells = run("atom_cas_16", engine, [a, a, a], [77] + [0] * 7, 1, SERIAL)
    assert [row[0] for row in rows] == list(range(SERIAL))
    assert cells[0] == 77 | SERIAL << 16


def test_every_program_has_a_law() -> None:
    files = {path.stem for path in FOLDER.glob("*.ptx")}
    alone = {"red", "spin_cas", "spin_exch", "atom_cas_16"}
    assert files == {*LAWS, *WHOLE, *ATOMICS, *alone}
    assert len(files) >= 60
