"""The oracles: independent of the compiler and the machine, and in agreement with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.oracle import compare, cpu, nvrtc

CASES = Path(__file__).parents[1] / "acceptance" / "cases"
KERNEL = """
__global__ void turn(const int *in, int *out, unsigned *votes) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    int v = s[63 - t] + __shfl_xor_sync(0xffffffffu, in[t], 1);
    votes[t] = __ballot_sync(0xffffffffu, v & 1);
    atomicAdd(&out[64], v);
    out[t] = v;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One case with barriers, shuffles, votes and atomics; its expectation made here in Python."""
    path = tmp_path_factory.mktemp("cases")
    given = [(7 * i * i - 31 * i) % 101 - 50 for i in range(64)]
    values = [given[63 - t] + given[t ^ 1] for t in range(64)]
    votes = [
        sum((values[u] & 1) << u % 32 for u in range(t // 32 * 32, t // 32 * 32 + 32))
        for t in range(64)
    ]
    case = {
        "kernel": "turn", "file": "turn.cu", "family": "gpu", "grid": [1, 1, 1],
        "block": [64, 1, 1], "shared_bytes": 0, "note": "",
        "args": [
            {"name": "in", "kind": "in", "type": "i32", "values": given},
            {"name": "out", "kind": "out", "type": "i32", "count": 65},
            {"name": "votes", "kind": "out", "type": "u32", "count": 64},
        ],
        "expect": {"out": [*values, sum(values)], "votes": votes},
    }  # fmt: skip
    (path / "turn.cu").write_text(KERNEL, encoding="utf-8")
    (path / "turn.json").write_text(json.dumps([case]), encoding="utf-8")
    return path


def test_the_cpu_gives_what_python_gives(folder: Path) -> None:
    ((_, case),) = cpu.load_cases(folder)
    assert cpu.run_case(folder, case) == case["expect"]


def test_the_machine_agrees_with_the_cpu(folder: Path) -> None:
    report = compare.compare("cpu", folder)
    assert (report.passed, report.reasons) == (1, {})


def test_a_difference_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = cpu.Builds.run

    def wrong(builds: cpu.Builds, case: dict[str, object]) -> dict[str, list[int]]:
        outputs = real(builds, case)
        outputs["votes"][5] ^= 1
        return outputs

    monkeypatch.setattr(cpu.Builds, "run", wrong)
    report = compare.compare("cpu", folder)
    assert report.names == ["turn[0]"]
    assert report.reasons["turn[0]"].startswith("votes[5]: machine ")


@pytest.mark.skipif(nvrtc.library_path() is None, reason="NVRTC is not installed (extra: nvrtc)")
def test_the_machine_runs_nvidias_ptx(folder: Path) -> None:
    report = compare.compare("nvrtc", folder)
    assert (report.passed, report.reasons) == (1, {})


def test_a_kernel_that_does_not_compile_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.cu").write_text("__global__ void bad(int *out) { *out = ; }")
    case = {"file": "bad.cu", "kernel": "bad", "grid": [1, 1, 1], "block": [1, 1, 1],
            "args": [{"name": "out", "kind": "out", "type": "i32", "count": 1}],
            "expect": {"out": [0]}}  # fmt: skip
    with pytest.raises(cpu.OracleError, match=r"^bad\.cu:1:\d+: error"):
        cpu.run_case(tmp_path, case)
