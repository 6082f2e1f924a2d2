"""Real kernels with known results: whatever compiles must give exactly those.

The cases in `cases/` always run. The full set is read from the folder of shared cases when it
is there.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import codegen
import vgpu
from codegen.clang import find_clang

OWN = Path(__file__).parent / "cases"
SHARED = Path(
    os.environ.get("SHARED_CASES", Path(__file__).parents[3] / "shared" / "cases" / "cuda")
)
pytestmark = pytest.mark.skipif(find_clang() is None, reason="no clang")

# what the machine does not have yet; anything else must compile
MISSING = (
    "64-bit", "atomic", "shuffles", "votes", "floating point", "bar.warp.sync",
)  # fmt: skip
TYPES = {"bool": "u8"}


def names(folder: Path) -> list[str]:
    return sorted(p.stem for p in folder.glob("*.json"))


def arguments(case: dict[str, Any]) -> tuple[dict[str, Any], dict[str, tuple[str, int]]]:
    """Inputs and outputs of a launch, as `Machine.run` takes them."""
    inputs: dict[str, Any] = {}
    outputs: dict[str, tuple[str, int]] = {}
    for arg in case["args"]:
        type_ = TYPES.get(arg["type"], arg["type"])
        if arg["kind"] == "scalar":
            width = int(type_[1:])
            # a structure by value is a list: its elements side by side
            parts = [v & ((1 << width) - 1) for v in arg["values"]]
            packed = sum(v << width * n for n, v in enumerate(parts))
            inputs[arg["name"]] = packed if len(parts) > 1 else arg["values"][0]
            continue
        if arg["kind"] in ("in", "inout"):
            inputs[arg["name"]] = vgpu.Array(type_, arg["values"])
        if arg["kind"] in ("out", "inout"):
            outputs[arg["name"]] = (type_, arg.get("count", len(arg.get("values", ()))))
    return inputs, outputs


def check(folder: Path, name: str) -> str:
    """Compiles and runs every launch of one kernel. Returns its family.

    Raises CompileError when it does not compile.
    """
    cases = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    program = codegen.compile_file(folder / cases[0]["file"], cases[0]["kernel"])
    machine = vgpu.Machine(engine="interpreter")
    for case in cases:
        inputs, outputs = arguments(case)
        run = machine.run(
            program,
            inputs,
            outputs,
            grid=tuple(case["grid"]),
            block=tuple(case["block"]),
            shared=case["shared_bytes"],
        )
        got = {key: run.outputs[key] for key in case["expect"]}
        assert got == case["expect"], f"{name}: {case['note']}"
    return str(cases[0]["family"])


@pytest.mark.parametrize("name", names(OWN))
def test_case(name: str) -> None:
    check(OWN, name)


def test_every_shared_case(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints how many of each family compile and are right, and why the others do not compile."""
    if not SHARED.is_dir():
        pytest.skip(f"no shared cases at {SHARED}")
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    rejected: dict[str, str] = {}
    for name in names(SHARED):
        family = json.loads((SHARED / f"{name}.json").read_text(encoding="utf-8"))[0]["family"]
        total[family] += 1
        try:
            right[check(SHARED, name)] += 1
        except codegen.CompileError as error:
            rejected[name] = str(error)
    with capsys.disabled():
        print()
        for family in total:
            print(f"  {family}: {right[family]} of {total[family]}")
        for name, reason in rejected.items():
            print(f"  {name}: {reason.rsplit('/', 1)[-1]}")
    unexplained = {n: r for n, r in rejected.items() if not any(m in r for m in MISSING)}
    assert unexplained == {}
