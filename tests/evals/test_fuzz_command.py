"""`assistant verify --fuzz-cuda`: what it prints, keeps and refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assistant import ending
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


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc")
@pytest.mark.skipif(find_clang() is None, reason="no clang")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_told_to_end_it_ends_at_once_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "assistant", "verify", "--fuzz-cuda", "500"],
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.getcwd()},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    started = time.monotonic()
    while not list(tmp_path.iterdir()) and time.monotonic() < started + 60:
        time.sleep(0.02)
    assert len(_with_environment(str(tmp_path))) > 1
    told, number = time.monotonic(), getattr(signal, name)
    if name == "SIGTERM":
        command.send_signal(number)
    else:  # a terminal tells all
        os.killpg(command.pid, number)
    out, err = command.communicate()
    assert time.monotonic() - told < ending.PATIENCE + 5  # a minute, if it went on
    assert (command.returncode, out) == (128 + number, "")
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []
    late = time.monotonic() + 3  # a process that was killed is there until it is its turn
    while (left := _with_environment(str(tmp_path))) and time.monotonic() < late:
        time.sleep(0.02)
    assert left == []


def _with_environment(word: str) -> list[str]:
    """The command lines of the processes whose environment has the word."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # another's, or gone
            continue
    return found
