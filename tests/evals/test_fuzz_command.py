"""`assistant verify --fuzz-cuda`: what it prints, keeps and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.cli import main
from codegen.clang import find_clang
from evals.fuzz import kernel, run
from vgpu.verify import Report


@pytest.mark.skipif(find_clang() is None, reason="no clang")
def test_one_object_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--fuzz-cuda", "2", "--seed", "5", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["passed"], record["failed"], record["names"]) == (2, 0, [])
    assert record["counts"]["passes"] > 0


def test_a_failing_kernel_is_written_and_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def one_fails(*_: object) -> tuple[Report, list[run.Outcome], object]:
        outcome = run.Outcome(kernel.write(5, 0), "differs", "o_v0[1]: machine 2, oracle 1")
        report = Report()
        report.add(outcome.kernel.name, outcome.reason)
        return report, [outcome], None

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "run", one_fails)
    assert main(["verify", "--fuzz-cuda", "1"]) == 1
    assert "fuzz-found/fuzz_5_0.cu" in capsys.readouterr().out
    assert (tmp_path / "fuzz-found" / "fuzz_5_0.cu").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "options", [["--fuzz-cuda", "0"], ["--reduce"], ["--fuzz-cuda", "1", "--programs", "1"]]
)
def test_a_wrong_call_is_one_line(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
