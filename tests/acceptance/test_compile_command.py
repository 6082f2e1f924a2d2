"""`assistant compile`: every stage can be read, and the program stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import codegen
import vgpu
from vgpu import asm

SUMS = """__global__ void sums(const int *a, int *out) {
  __shared__ int s[8];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) *out = s[0] + s[1];
}
"""
Cli = Callable[..., Any]


@pytest.fixture
def path(write: Callable[[str, str], Path]) -> Path:
    return write("sums.cu", SUMS)


def test_ptx_is_that_of_clang(path: Path, cli: Cli) -> None:
    done = cli("compile", path, "--show", "ptx")
    assert done.status == 0
    for expected in (".version", ".entry", "bar.sync", "st.shared", "%tid.x"):
        assert expected in done.out


def test_asm_is_the_program(path: Path, cli: Cli) -> None:
    """What is shown assembles to the program; the barrier and the thread number are to be seen."""
    done = cli("compile", path, "--show", "asm")
    assert done.status == 0
    lines = done.out.splitlines()
    assert asm.assemble(done.out) == list(codegen.compile_file(path).code)
    assert any(line.split("//")[0].split() == ["bar"] for line in lines)
    assert any("%tid.x" in line for line in lines)
    assert any("exit" in line for line in lines)


def test_stats_count_the_program(path: Path, cli: Cli) -> None:
    done = cli("compile", path, "--show", "stats")
    assert done.status == 0
    stats = {name: value for name, _, value in (s.rpartition(" ") for s in done.out.splitlines())}
    counts = {name.strip(): value for name, value in stats.items()}
    assert counts["instructions"] == str(len(codegen.compile_file(path).code))
    assert counts["shared bytes"] == "32"
    assert 1 <= int(counts["registers"]) <= 32


LAUNCH: tuple[str, ...] = ("--block", "8", "--in", "a=40,2,0,0,0,0,0,0", "--out", "out=1")


def figures(text: str) -> dict[str, str]:
    pairs = (line.split("  ", 1) for line in text.splitlines())
    return {name: value.strip() for name, value in pairs}


@pytest.mark.parametrize("engine", ["sparse", "interpreter"])
def test_stats_of_a_launch_are_those_of_the_run(path: Path, cli: Cli, engine: str) -> None:
    run = cli("run", path, *LAUNCH, "--engine", engine, "--json").record
    done = cli("compile", path, "--show", "stats", *LAUNCH, "--engine", engine)
    assert (done.status, done.err) == (0, "")
    counts = figures(done.out)
    assert counts["engine"] == engine
    assert counts["instructions"] == str(len(codegen.compile_file(path).code))
    for name in ("passes", "words"):
        assert counts[name] == str(run[name])
    assert counts["instructions executed"] == str(run["instructions"])
    executed, ptx = run["instructions"], int(counts["PTX instructions executed"])
    assert counts["PTX instructions executed a thread"] == f"{ptx / 8:.1f}"
    assert 8 * 8 < ptx < 8 * 30
    assert counts["instructions a PTX instruction, library apart"] == f"{executed / ptx:.3f}"


def test_stats_without_a_launch_say_how_to_get_the_rest(path: Path, cli: Cli) -> None:
    done = cli("compile", path, "--show", "stats")
    assert "passes" not in figures(done.out)
    assert done.err.count("\n") == 1 and "add a launch: --grid --block --shared" in done.err


def test_a_stored_program_has_no_ptx_to_count(path: Path, cli: Cli, tmp_path: Path) -> None:
    stored = tmp_path / "sums.vgpu"
    cli("compile", path, "-o", stored)
    counts = figures(cli("compile", stored, "--show", "stats", *LAUNCH).out)
    assert int(counts["passes"]) > 0
    assert counts["PTX instructions executed"].startswith("unknown: ")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--show", "asm", "--block", "8"), "is for --show stats"),
        (("--show", "stats", "--block", "8"), 'missing parameter "a"'),
        (("--show", "stats", "--block", "0"), '--block "0": expected N'),
        (
            ("--show", "stats", "--shared", "-1"),
            '--shared "-1": expected an integer, a number of bytes',
        ),
        (("--show", "stats", *LAUNCH, "--max-passes", "3"), "3 passes"),
        (("--show", "stats", *LAUNCH, "--max-passes", "0"), "--max-passes 0: expected"),
    ],
)
def test_a_launch_that_cannot_be(path: Path, cli: Cli, options: tuple[str, ...], told: str) -> None:
    done = cli("compile", path, *options)
    assert done.status in (1, 2) and told in done.complaint


def test_a_stored_program_is_what_python_compiles(path: Path, cli: Cli, tmp_path: Path) -> None:
    stored = tmp_path / "sums.vgpu"
    assert cli("compile", path, "-o", stored).status == 0
    program = vgpu.Program.load(stored)
    assert program.code == codegen.compile_file(path).code
    run = vgpu.Machine(engine="sparse").run(program, {"a": [40, 2] + 6 * [0]}, block=8)
    assert run.outputs == {"out": [42]}


def test_compiling_without_options_works(path: Path, cli: Cli) -> None:
    assert cli("compile", path).status == 0


def test_compilation_is_reproducible(path: Path) -> None:
    assert codegen.compile_file(path).to_json() == codegen.compile_file(path).to_json()
