"""Kernels that are broken or mean harm: each ends in one clear line, and the next one runs.

`hostile/GROUP.yaml` lists them: `name`, `source` (`@{N|TEXT}` stands for TEXT repeated N times)
and `expect`, a regular expression for the line that a person sees: an error, or `out = …` for what
is harmless and runs. A test takes every second entry, and none that is `slow`: needs seconds by its
nature; with VGPU_HOSTILE=all it takes every one.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import codegen
import vgpu
from codegen.clang import find_clang
from vgpu.errors import VgpuError
from vgpu.program import Program

pytestmark = pytest.mark.skipif(find_clang() is None, reason="no clang")
FOLDER = Path(__file__).parent / "hostile"
GROUPS = sorted(path.stem for path in FOLDER.glob("*.yaml"))
INPUTS = {"a": [1, 2, 3, 4], "n": 4}
OUTPUTS = {"out": 4}
BUDGET = 600
LONGEST_LINE = 400
GOOD = "__global__ void good(const int* a, int n, int* out) { out[threadIdx.x & 3] = a[0] + n; }"
# a file of the machine, a folder of it, the user's environment
LEAK = re.compile(
    rf"root:|:/bin/\w+|/tmp/|vgpu-\w{{6,}}|site-packages|{re.escape(str(Path.home()))}"
    rf"|{re.escape(str(Path(codegen.__file__).parents[1]))}|Traceback"
)
_REPEATED = re.compile(r"@\{(\d+)\|(.*?)\}(?!\})", re.DOTALL)


def entries(group: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(
        (FOLDER / f"{group}.yaml").read_text(encoding="utf-8")
    )
    if os.environ.get("VGPU_HOSTILE") == "all":
        return found
    return [entry for entry in found if not entry.get("slow")][::2]


def written(entry: dict[str, Any]) -> str:
    return _REPEATED.sub(lambda found: found[2] * int(found[1]), entry["source"])


def outcome(machine: vgpu.Machine, source: str) -> tuple[str, str]:
    """The line that a person sees, and what may stand beneath it."""
    try:
        program = codegen.compile_source(source, name="kernel.cu")
        run = machine.run(program, INPUTS, OUTPUTS, block=32, max_passes=BUDGET)
    except VgpuError as error:
        return str(error), str(getattr(error, "details", ""))
    return f"out = {', '.join(map(str, run.outputs['out']))}", ""


@pytest.fixture(scope="module")
def machine() -> vgpu.Machine:
    return vgpu.Machine()


@pytest.fixture(scope="module")
def good() -> Program:
    return codegen.compile_source(GOOD)


def test_there_are_enough_of_them() -> None:
    assert sum(len(entries(group)) for group in GROUPS) >= 200
    for group in GROUPS:
        names = [entry["name"] for entry in entries(group)]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("group", GROUPS)
def test_each_ends_in_one_line_and_the_next_one_runs(
    group: str, machine: vgpu.Machine, good: Program
) -> None:
    wrong = []
    for entry in entries(group):
        line, details = outcome(machine, written(entry))
        if not re.match(entry["expect"], line):
            wrong.append(f"{entry['name']}: expected {entry['expect']!r}, got {line!r}")
        if "\n" in line or len(line) > LONGEST_LINE or LEAK.search(line + details):
            wrong.append(f"{entry['name']}: not one clean line: {line!r}, {details!r}")
        after = machine.run(good, INPUTS, OUTPUTS, block=32, max_passes=BUDGET)
        if after.outputs["out"] != [5, 5, 5, 5]:
            wrong.append(f"{entry['name']}: the next kernel gave {after.outputs['out']}")
    assert wrong == []
