"""Kernels with known results: exactly those, on the interpreter and on the network.

Every kernel must compile: a refusal is a failure.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import codegen
import vgpu

OWN = Path(__file__).parent / "cases"
SHARED = Path(
    os.environ.get("SHARED_CASES", Path(__file__).parents[3] / "shared" / "cases" / "cuda")
)
DENSE = [("dot_shared", 0), ("switch4", 0)]


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.json"))


def cases(folder: Path, name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((folder / f"{name}.json").read_text())
    return loaded


def launch(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, tuple[str, int]]]:
    """The inputs and outputs of a case, as `vgpu.Machine.run` takes them."""
    inputs: dict[str, Any] = {}
    outputs: dict[str, tuple[str, int]] = {}
    for arg in case["args"]:
        name, kind, values = arg["name"], arg["kind"], arg.get("values", [])
        type = "u8" if arg["type"] == "bool" else arg["type"]
        if kind == "scalar":  # several values are a structure: its 32-bit members, low ones first
            members = [v % 2**32 << 32 * i for i, v in enumerate(values)]
            inputs[name] = values[0] if len(values) == 1 else sum(members)
        if kind in ("in", "inout"):
            inputs[name] = vgpu.Array(type, values)
        if kind in ("out", "inout"):
            outputs[name] = (type, arg.get("count", len(values)))
    return inputs, outputs


def run(machine: vgpu.Machine, program: vgpu.Program, case: dict[str, Any]) -> vgpu.Run:
    """Run a case and compare every expected output."""
    inputs, outputs = launch(case)
    done = machine.run(
        program, inputs, outputs,
        grid=case["grid"], block=case["block"], shared=case["shared_bytes"],
    )  # fmt: skip
    assert {name: done.outputs[name] for name in case["expect"]} == case["expect"]
    return done


def check(folder: Path, name: str, machines: dict[str, vgpu.Machine]) -> None:
    """Every case of a kernel, on the interpreter and on the sparse engine, pass for pass."""
    for case in cases(folder, name):
        path = folder / case["file"]
        program = codegen.compile_file(path, kernel=case["kernel"])
        right, came = (run(machines[engine], program, case) for engine in ("interpreter", "sparse"))
        assert (came.passes, came.words, came.instructions) == (
            right.passes, right.words, right.instructions,
        )  # fmt: skip


@pytest.mark.parametrize("name", names(OWN))
def test_own_cases(name: str, machines: dict[str, vgpu.Machine]) -> None:
    check(OWN, name, machines)


@pytest.mark.parametrize("name", sorted({*names(SHARED)} - {*names(OWN)}) or [None])
def test_shared_cases(name: str | None, machines: dict[str, vgpu.Machine]) -> None:
    if name is None:
        pytest.skip(f"no shared cases at {SHARED}")
    check(SHARED, name, machines)


@pytest.mark.parametrize(("name", "number"), DENSE)
def test_a_sample_on_the_stock_layers(
    name: str, number: int, machines: dict[str, vgpu.Machine]
) -> None:
    case = cases(OWN, name)[number]
    program = codegen.compile_file(OWN / case["file"], kernel=case["kernel"])
    dense, sparse = (run(machines[engine], program, case) for engine in ("dense", "sparse"))
    assert (dense.passes, dense.words) == (sparse.passes, sparse.words)
