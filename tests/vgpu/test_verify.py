"""Verification finds what is wrong, counts what is right, and says where."""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vgpu import Geometry, InputError, Param, Program, asm
from vgpu.circuit.emit import Network
from vgpu.engines import Engine
from vgpu.engines.sparse import SparseEngine
from vgpu.fuzz import generate
from vgpu.geometry import DEFAULT
from vgpu.interpreter import Interpreter
from vgpu.network import network_for
from vgpu.verify import _run_program, run_cases, run_programs
from vgpu.verify_together import Together
from vgpu.word import Bits


class Flipped(Interpreter):
    """An interpreter with one wrong bit: the result of some opcode, or a read token."""

    name = "flipped"

    def __init__(self, field: str, kind: str, nth: int) -> None:
        super().__init__()
        self.field, self.kind, self.left = field, kind, nth

    def step(self, words: Bits) -> Bits:
        came = super().step(words)
        hit = np.flatnonzero(self.layout.field(words, self.kind))
        if len(hit):
            self.left -= 1
            if self.left == 0:
                came[hit[0], self.layout.offsets[self.field]] ^= 1
        return came


def test_equal_engines_pass_and_are_counted() -> None:
    seen = []
    report = run_programs(
        30, 1, [Interpreter(), Interpreter()], lambda done, total, name: seen.append((done, total))
    )
    assert (report.passed, report.failed, report.names) == (30, 0, [])
    assert seen == [(i, 30) for i in range(30)]
    assert report.counts["passes"] > 30 * 10
    assert report.counts["words"] > report.counts["instructions"] > report.counts["passes"]


@pytest.mark.parametrize("field", ["value", "we", "preds", "addr", "epoch", "f_align"])
def test_one_wrong_bit_in_one_pass_is_found(field: str) -> None:
    report = run_programs(5, 1, [Interpreter(), Flipped(field, "exec", nth=60)])
    assert report.failed == 1
    assert field in report.reasons[report.names[0]]
    assert "flipped differs from interpreter" in report.reasons[report.names[0]]


def test_a_wrong_read_back_is_found() -> None:
    report = run_programs(5, 1, [Interpreter(), Flipped("value", "read", nth=2)])
    assert report.failed == 1
    assert "(read, address" in report.reasons[report.names[0]]


def test_a_wrong_load_word_is_found() -> None:
    assert run_programs(1, 1, [Interpreter(), Flipped("run", "prog_lo", nth=1)]).failed == 1


def planted(network: Network, draw: random.Random) -> Network:
    """The network with the sign of one of its weights changed."""
    at = draw.randrange(len(network.layers))
    layer = network.layers[at]
    name = draw.choice([name for name, m in layer.matrices.items() if m.nonzeros])
    matrix = layer.matrices[name]
    values = matrix.value.copy()
    values[draw.randrange(matrix.nonzeros)] *= -1
    matrices = {**layer.matrices, name: dataclasses.replace(matrix, value=values)}
    layers = list(network.layers)
    layers[at] = dataclasses.replace(layer, matrices=matrices)
    return dataclasses.replace(network, layers=tuple(layers))


def test_a_planted_wrong_weight_is_found() -> None:
    """Of single weights with the wrong sign, sixty programs find at least half."""
    network, programs = network_for(DEFAULT), generate(60, 1)
    assert run_programs(programs, 1, [Interpreter(), SparseEngine(DEFAULT, network)]).failed == 0
    found = 0
    for seed in range(6):
        wrong = SparseEngine(DEFAULT, planted(network, random.Random(seed)))
        slices = (programs[i : i + 10] for i in range(0, 60, 10))
        found += any(run_programs(part, 1, [Interpreter(), wrong]).failed for part in slices)
    assert found >= 3


class ForgetfulMemory(Interpreter):
    """Loses byte stores to odd addresses: no word shows it until the byte is read."""

    name = "forgetful"

    def _store(self, address: int, size: int, value: int) -> None:
        if size != 1 or address % 2 == 0:
            super()._store(address, size, value)


def test_a_lost_store_is_found() -> None:
    assert run_programs(60, 1, [Interpreter(), ForgetfulMemory()]).failed > 0


def test_engines_must_be_comparable() -> None:
    with pytest.raises(InputError, match="at least two"):
        run_programs(1, 1, [Interpreter()])
    with pytest.raises(InputError, match="one geometry"):
        run_programs(1, 1, [Interpreter(), Interpreter(Geometry(memory_bytes=4096))])


# out[tid] = in[tid] + k
ADD_K = """
    s2r r0, %tid.x
    shl r0, r0, 2
    ld.b32 r1, [0x10]
    ld.b32 r2, [0x18]
    add r1, r1, r0
    ld.b32 r3, [r1]
    add r3, r3, r2
    ld.b32 r1, [0x14]
    add r1, r1, r0
    st.b32 [r1], r3
    exit
"""


def compile_add(path: Path, kernel: str) -> Program:
    if kernel == "strange":
        raise InputError(f"{path}:1: this instruction is not supported")
    pointers = [Param("x", 0, 4, True, "f32"), Param("y", 4, 4, True, "f32")]
    params = (*pointers, Param("k", 8, 4, False, "i32"))
    return Program("add_k", tuple(asm.assemble(ADD_K)), params, shared_base=32)


def case(**changes: Any) -> dict[str, Any]:
    record = {
        "kernel": "add_k", "file": "add_k.cu", "family": "corner",
        "grid": [1, 1, 1], "block": [2, 1, 1], "shared_bytes": 0,
        "args": [
            {"name": "x", "kind": "in", "type": "f32", "values": [0x3F800000, 0xBF800000]},
            {"name": "y", "kind": "out", "type": "f32", "count": 2},
            {"name": "k", "kind": "scalar", "type": "i32", "values": [1]},
        ],
        "expect": {"y": [0x3F800001, 0xBF800001]}, "note": "",
    }  # fmt: skip
    return record | changes


def write(folder: Path, *cases: dict[str, Any]) -> Path:
    (folder / "add_k.json").write_text(json.dumps(list(cases)), encoding="utf-8")
    return folder


def test_cases_pass_fail_and_are_skipped(tmp_path: Path) -> None:
    wrong = case(expect={"y": [0x3F800001, 7]})
    too_large = case(block=[1024, 1, 1])
    folder = write(tmp_path, case(), wrong, case(kernel="strange"), too_large)
    report = run_cases(folder, "interpreter", compile_add)
    assert (report.passed, report.failed) == (1, 3)
    assert report.names == [f"add_k[{i}]" for i in range(1, 4)]
    assert report.reasons["add_k[1]"] == f"y[1] is {0xBF800001}, expected 7"
    assert set(report.skipped) == {"add_k[2]", "add_k[3]"}
    assert "not supported" in report.skipped["add_k[2]"]
    assert set(report.as_json()) >= {"passed", "failed", "names"}
    json.dumps(report.as_json())


def test_an_array_that_goes_in_and_comes_out(tmp_path: Path) -> None:
    args = [
        {"name": "x", "kind": "inout", "type": "i32", "values": [5, 6]},
        {"name": "y", "kind": "inout", "type": "i32", "values": [7, 8]},
        {"name": "k", "kind": "scalar", "type": "i32", "values": [-1]},
    ]
    write(tmp_path, case(args=args, expect={"x": [5, 6], "y": [4, 5]}))
    report = run_cases(tmp_path, "interpreter", compile_add)
    assert report.reasons == {}
    assert report.counts["instructions"] == 22


@pytest.mark.parametrize("text", ["{}", "[1]", '[{"kernel": "k"}]', "[", None])
def test_files_that_are_not_cases(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "k.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        run_cases(tmp_path, "interpreter", compile_add)
    assert str(tmp_path) in str(error.value)


def test_native_passes_give_the_words_of_single_steps() -> None:
    """What the runtime calls, `advance`, against `step`, on the sparse engine alone."""
    for program in generate(25, 4):
        engines = [SparseEngine(DEFAULT, network_for(DEFAULT)) for _ in range(2)]
        assert _run_program(program, Together([Stepwise(engines[0]), engines[1]])) is None


class Stepwise:
    """An engine without native passes."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.name, self.geometry = engine, "stepwise", engine.geometry
        self.reset, self.step = engine.reset, engine.step


class LongChunks(Flipped):
    """Is asked only when a program is over; one word in all of them is wrong."""

    name = "long chunks"
    chunk = 50


@pytest.mark.parametrize("nth", [1, 4])
def test_an_engine_that_takes_long_chunks_is_compared_with_every_word(nth: int) -> None:
    programs = generate(6, 1)
    report = run_programs(programs, 1, [Interpreter(), LongChunks("value", "exec", nth=nth)])
    assert report.failed == 1
    assert "long chunks differs from interpreter in lane" in report.reasons[report.names[0]]
    clean = run_programs(programs, 1, [Interpreter(), LongChunks("value", "exec", nth=10**6)])
    assert clean.failed == 0
