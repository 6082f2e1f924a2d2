"""`assistant bench`: what it reports. How fast it is here is no test."""

from __future__ import annotations

import json

import pytest

import vgpu
from assistant.cli import main
from assistant.measure import commands, figures
from assistant.measure.programs import TIMED, compiled, launch

SPREAD = {"median": 2.0, "low": 1.0, "high": 3.0}


@pytest.fixture
def quick(monkeypatch):
    """The slow parts, not measured."""
    monkeypatch.setattr(figures, "TURNS", 3)
    monkeypatch.setattr(figures, "fresh", lambda rounds: (SPREAD, 100.0))
    monkeypatch.setattr(commands, "commands", lambda rounds: {"run": SPREAD})
    monkeypatch.setattr(figures, "build", lambda: {"circuit_s": 1.0, "native_s": 2.0})
    monkeypatch.setattr(figures, "dense", lambda rounds: {"1": SPREAD})


def test_the_report_has_what_scripts_read(capsys, quick):
    assert main(["bench", "--json", "--rounds", "2"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert set(record["passes_per_s"]) == {"1", "4", "32", "128"}
    assert all(speed > 0 for speed in record["passes_per_s"].values())
    for lanes, speed in record["passes_spread"].items():
        assert speed["low"] <= record["passes_per_s"][lanes] <= speed["high"]
    assert set(record["programs"]) == set(TIMED)
    for program in record["programs"].values():
        assert program["passes"] > 0 and program["words"] >= program["passes"]
        assert program["low"] <= program["seconds"] <= program["high"]
    assert record["programs"]["dot3"]["out"] == [32]
    assert record["programs"]["collatz27"]["out"] == [111]
    assert record["programs"]["sieve100"]["out"] == [25]
    assert record["commands"] == {"run": SPREAD}
    assert (record["startup_s"], record["build_s"], record["rss_mb"]) == (2.0, 3.0, 100.0)


def test_the_report_for_people(capsys, quick):
    assert main(["bench", "--rounds", "1"]) == 0
    out = capsys.readouterr().out
    for word in ("passes/s", *TIMED, "start-up", "build", "memory", "100 MB", "run "):
        assert word in out, word


def test_the_programs_are_right():
    code, machines = compiled(), [vgpu.Machine(name) for name in ("sparse", "interpreter")]
    for name, timed in TIMED.items():
        ours, right = (launch(machine, code[timed.kernel], timed) for machine in machines)
        assert (ours.outputs, ours.passes) == (right.outputs, right.passes), name
    dot = TIMED["dot64"].inputs
    run = launch(machines[0], code["dot"], TIMED["dot64"])
    assert run.outputs["out"] == [sum(a * b for a, b in zip(dot["a"], dot["b"], strict=True))]


def test_a_fresh_process_tells_its_start_and_memory():
    startup, memory = figures.fresh(1)
    assert startup["median"] > 0 and 20 < memory < 1000


def test_whole_commands_are_timed(real_host):
    real_host.load()
    timed = commands.commands(1)
    assert set(timed) == {"run", "ask", "app"}
    assert all(times["low"] > 0 for times in timed.values())


def test_without_a_host_nothing_is_asked(monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "cache_dir", lambda: tmp_path)
    assert set(commands.commands(1)) == {"run", "app"}


def test_the_memory_of_a_large_parent_is_not_counted():
    weight = bytearray(1 << 30)
    weight[:: 1 << 12] = b"x" * (1 << 18)
    _, memory = figures.fresh(1)
    assert memory < 700 and len(weight) == 1 << 30
