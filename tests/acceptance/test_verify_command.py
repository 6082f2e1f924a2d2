"""`assistant verify`: engines against each other, case files, and a planted fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import vgpu
from vgpu import verify
from vgpu.circuit.emit import Matrix, Network
from vgpu.engines import make_engine
from vgpu.engines.sparse import SparseEngine
from vgpu.network import network_for

OWN = Path(__file__).parent / "cases"
Cli = Callable[..., Any]
PTX = """.version 6.3
.target sm_75
.address_size 32
.visible .entry twice(.param .u32 a, .param .u32 out)
{
    .reg .b32 %r<8>;
    ld.param.u32 %r1, [a];
    ld.param.u32 %r2, [out];
    mov.u32 %r3, %tid.x;
    shl.b32 %r3, %r3, 2;
    add.s32 %r1, %r1, %r3;
    add.s32 %r2, %r2, %r3;
    ld.global.u32 %r4, [%r1];
    add.s32 %r4, %r4, %r4;
    st.global.u32 [%r2], %r4;
    ret;
}
"""
TWICE = {
    "kernel": "twice", "file": "twice.ptx", "family": "basic", "grid": [1, 1, 1],
    "block": [3, 1, 1], "shared_bytes": 0, "note": "",
    "args": [
        {"name": "a", "kind": "in", "type": "i32", "values": [1, -2, 2**31 - 1]},
        {"name": "out", "kind": "out", "type": "i32", "count": 3},
    ],
    "expect": {"out": [2, -4, -2]},
}  # fmt: skip
FLAGS = """struct P { int x, y; };
__global__ void flags(const bool *in, bool *out, P p) {
  out[threadIdx.x] = in[threadIdx.x] != (p.x < p.y);
}
"""
FLAGS_CASE = {
    "kernel": "flags", "file": "flags.cu", "family": "basic", "grid": [1, 1, 1],
    "block": [2, 1, 1], "shared_bytes": 0, "note": "",
    "args": [
        {"name": "in", "kind": "in", "type": "bool", "values": [0, 1]},
        {"name": "out", "kind": "out", "type": "bool", "count": 2},
        {"name": "p", "kind": "scalar", "type": "i32", "values": [-1, 3]},
    ],
    "expect": {"out": [1, 0]},
}  # fmt: skip


@pytest.fixture(scope="module")
def reference() -> Any:
    return make_engine("interpreter")


def check_report(record: dict[str, Any], passed: int, failed: int) -> None:
    assert (record["passed"], record["failed"]) == (passed, failed)
    assert isinstance(record["names"], list)
    assert len(record["names"]) == failed


def test_all_three_engines_agree(cli: Cli) -> None:
    done = cli("verify", "--programs", 2, "--seed", 5, "--json")
    assert done.status == 0, done.out
    check_report(done.record, 2, 0)


def test_two_hundred_programs_on_the_sparse_engine(cli: Cli) -> None:
    done = cli("verify", "--programs", 200, "--engine", "sparse", "--json")
    assert done.status == 0, done.out
    check_report(done.record, 200, 0)


def test_it_prints_counts(cli: Cli) -> None:
    done = cli("verify", "--programs", 3, "--engine", "sparse")
    assert done.status == 0
    assert "3 passed" in done.out and "0 failed" in done.out
    for counted in ("words", "passes", "instructions"):
        assert counted in done.out


def test_a_seed_chooses_the_programs(reference: Any) -> None:
    engines = [reference, make_engine("sparse")]
    one, same, other = (verify.run_programs(3, seed, engines).counts for seed in (7, 7, 8))
    del one["seconds"], same["seconds"], other["seconds"]
    assert one == same != other


def with_weight(network: Network, layer: int, name: str, entry: int, factor: float) -> Network:
    """The network with one weight multiplied by `factor`."""
    old = network.layers[layer]
    matrix = old.matrices[name]
    values = matrix.value.copy()
    values[entry] *= factor
    changed = Matrix(matrix.shape, matrix.row, matrix.column, values)
    new = replace(old, matrices=old.matrices | {name: changed})
    return replace(network, layers=(*network.layers[:layer], new, *network.layers[layer + 1 :]))


LAYERS = range(vgpu.machine_summary()["layers"])
PLACES = range(1, 24, 2)  # in twenty-fourths of the weights of a matrix


@pytest.mark.parametrize("layer", LAYERS)
def test_a_planted_weight_is_found(layer: int, reference: Any) -> None:
    """One weight of the layer with its sign turned: some word of some program is wrong.

    A weight may serve a case that few programs reach, so that several places may be tried.
    """
    network = network_for()
    entries = network.layers[layer].matrices["mlp.down_proj"].nonzeros
    for place in PLACES:
        wrong = with_weight(network, layer, "mlp.down_proj", entries * place // 24, -1.0)
        report = verify.run_programs(20, 3, [reference, SparseEngine(reference.geometry, wrong)])
        assert len(report.names) == report.failed == 20 - report.passed
        if report.failed:
            return
    raise AssertionError("none of the planted weights was found")


def test_a_weight_planted_in_the_head_is_found(reference: Any) -> None:
    network = network_for()
    values = network.head.value.copy()
    values[len(values) // 2] = -values[len(values) // 2]
    head = Matrix(network.head.shape, network.head.row, network.head.column, values)
    engine = SparseEngine(reference.geometry, replace(network, head=head))
    assert verify.run_programs(5, 1, [reference, engine]).failed > 0


def first_found(network: Network, reference: Any) -> tuple[int, int]:
    """(row, column) of a weight of the first down projection that one program depends on."""
    matrix = network.layers[0].matrices["mlp.down_proj"]
    for entry in range(0, matrix.nonzeros, 7):
        wrong = with_weight(network, 0, "mlp.down_proj", entry, -1.0)
        engines = [reference, SparseEngine(reference.geometry, wrong)]
        if verify.run_programs(1, 5, engines).failed:
            return int(matrix.row[entry]), int(matrix.column[entry])
    raise AssertionError("no weight matters")


def test_a_weight_planted_in_the_stock_layers_is_found(
    reference: Any, machines: dict[str, vgpu.Machine]
) -> None:
    """The dense engine goes wrong with the same weight as the sparse one."""
    engine: Any = machines["dense"].engine
    row, column = first_found(network_for(), reference)
    weight = engine.model.layers[0].mlp.down_proj.weight
    right = float(weight[row, column])
    assert right != 0
    weight[row, column] = -right
    try:
        wrong = verify.run_programs(1, 5, [reference, engine])
    finally:
        weight[row, column] = right
    assert (wrong.passed, wrong.failed) == (0, 1)
    assert verify.run_programs(1, 5, [reference, engine]).failed == 0


def test_case_files(cli: Cli) -> None:
    done = cli("verify", "--cases", OWN, "--json")
    assert done.status == 0, done.out
    number = sum(len(json.loads(path.read_text())) for path in OWN.glob("*.json"))
    check_report(done.record, number, 0)


@pytest.mark.parametrize("engine", ["interpreter", "sparse", "dense"])
def test_a_case_may_be_ptx(engine: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "twice.ptx").write_text(PTX)
    (tmp_path / "twice.json").write_text(json.dumps([TWICE]))
    done = cli("verify", "--cases", tmp_path, "--engine", engine, "--json")
    assert done.status == 0, done.out
    check_report(done.record, 1, 0)


def test_cases_with_flags_and_structures(cli: Cli, tmp_path: Path) -> None:
    """`bool` elements and a structure passed by value, as the case format writes them."""
    (tmp_path / "flags.cu").write_text(FLAGS)
    (tmp_path / "flags.json").write_text(json.dumps([FLAGS_CASE]))
    done = cli("verify", "--cases", tmp_path, "--json")
    assert done.status == 0, done.out
    check_report(done.record, 1, 0)


def test_a_wrong_expectation_fails_and_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "twice.ptx").write_text(PTX)
    wrong = TWICE | {"expect": {"out": [2, -4, -1]}}
    (tmp_path / "twice.json").write_text(json.dumps([TWICE, wrong]))
    done = cli("verify", "--cases", tmp_path, "--json")
    assert done.status == 1
    check_report(done.record, 1, 1)
    assert "twice" in done.record["names"][0]
