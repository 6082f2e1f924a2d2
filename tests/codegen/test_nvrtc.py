"""The 64-bit PTX of NVIDIA's own compiler gives the same results, where that is installed.

All shared cases: `assistant verify --cases DIR --oracle nvrtc`, or ALL_CASES=1 here.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import codegen
from evals.oracle.nvrtc import library_path, to_ptx
from tests.codegen.test_cases import OWN, SHARED, arguments, names
from tests.codegen.wide_frame import machine

pytestmark = pytest.mark.skipif(library_path() is None, reason="no nvidia-cuda-nvrtc")


def check(folder: Path, name: str) -> None:
    cases = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    source = folder / cases[0]["file"]
    ptx = to_ptx(source.read_text(encoding="utf-8"), source.name)
    program = codegen.ptx_to_program(ptx, cases[0]["kernel"], f"{name}.ptx")
    for case in cases:
        # PTX has lost the parameters' names
        spelled = dict(zip((a["name"] for a in case["args"]), program.params, strict=True))
        inputs, outputs = arguments(case)
        run = machine().run(
            program,
            {spelled[key].name: value for key, value in inputs.items()},
            {spelled[key].name: value for key, value in outputs.items()},
            grid=tuple(case["grid"]),
            block=tuple(case["block"]),
            shared=case["shared_bytes"],
        )
        got = {key: run.outputs[spelled[key].name] for key in case["expect"]}
        assert got == case["expect"], f"{name}: {case['note']}"


@pytest.mark.parametrize("name", names(OWN))
def test_case(name: str) -> None:
    check(OWN, name)


def test_shared_cases() -> None:
    if not SHARED.is_dir():
        pytest.skip(f"no shared cases at {SHARED}")
    step = 1 if os.environ.get("ALL_CASES") else 4
    for name in names(SHARED)[::step]:
        check(SHARED, name)
