"""What a user has: the command, the three engines and a folder of kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import vgpu
from assistant.cli import main

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """How a command ended: its exit status, stdout and stderr."""

    status: int
    out: str
    err: str

    @property
    def record(self) -> dict[str, Any]:
        """The one JSON object on stdout, which must hold nothing else."""
        lines = self.out.splitlines()
        assert len(lines) == 1, f"expected one line on stdout, got {self.out!r} ({self.err})"
        value = json.loads(lines[0])
        assert isinstance(value, dict)
        return value

    @property
    def complaint(self) -> str:
        """The one line that tells a user what was wrong; stdout must be empty.

        Beneath it there may be, indented, the line of the source with a mark.
        """
        assert "Traceback" not in self.err + self.out
        lines = [line for line in self.err.splitlines() if not line.startswith("    ")]
        assert len(lines) == 1, f"expected one line on stderr, got {self.err!r}"
        assert self.out == ""
        return lines[0]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """cli("run", "dot.cu", ...) in this process: start-up and networks are paid for once."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        status = main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def shell() -> Callable[..., Outcome]:
    """shell("run", "dot.cu", ...) as a process of its own."""

    def call(*arguments: object, env: Mapping[str, str] | None = None) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "assistant", *map(str, arguments)],
            cwd=ROOT, env=os.environ | dict(env or {}), capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """write("k.cu", text) → the path of a new file."""

    def make(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make


@pytest.fixture(scope="session")
def machines() -> dict[str, vgpu.Machine]:
    """One machine an engine; a run starts from an empty machine, so that tests can share them."""
    return {name: vgpu.Machine(engine=name) for name in ("interpreter", "sparse", "dense")}
