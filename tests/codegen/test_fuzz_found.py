"""Kernels in which the machine and a C++ compiler once differed, made small.

`fuzz_found/NAME.cu` with NAME.json, a list of cases whose expectations a C++ compiler gave.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import codegen
from codegen.clang import find_clang
from vgpu.verify import run_cases

FOUND = Path(__file__).parent / "fuzz_found"


@pytest.mark.skipif(find_clang() is None, reason="no clang")
def test_every_kernel_that_once_differed() -> None:
    report = run_cases(FOUND, "interpreter", codegen.compile_file)
    assert report.reasons == {}
    assert report.passed >= len(list(FOUND.glob("*.cu"))) > 0
