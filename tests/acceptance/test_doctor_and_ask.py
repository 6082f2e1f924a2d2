"""`assistant doctor` and `assistant ask`: the shapes that scripts read, and honest figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import vgpu
from assistant import config
from assistant.hosts import store

Cli = Callable[..., Any]
QUESTIONS = [
    ("What is the dot product of [1, 2, 3] and [4, 5, 6]?", "dot", 32),
    ("What is the dot product of [7, -2, 9] and [3, 11, 250]?", "dot", 2249),
    ("Find the greatest common divisor of 5238 and 1746.", "gcd", 1746),
]


def test_doctor_as_json(cli: Cli) -> None:
    done = cli("doctor", "--json")
    assert done.status == 0
    record = done.record
    machine = record["machine"]
    assert set(machine) >= {
        "layers", "hidden", "neurons", "nonzeros", "lanes", "registers", "instructions",
        "memory_bytes",
    }  # fmt: skip
    assert machine["layers"] <= 12
    assert (machine["hidden"], machine["lanes"], machine["registers"]) == (1024, 32, 32)
    assert (machine["instructions"], machine["memory_bytes"]) == (1024, 16384)
    assert machine["neurons"] > 1000 and machine["nonzeros"] > 10_000
    assert machine == vgpu.machine_summary()
    assert {"host", "clang"} <= set(record)


def test_doctor_for_people(cli: Cli) -> None:
    done = cli("doctor")
    assert done.status == 0
    for expected in ("layers", "host", "clang"):
        assert expected in done.out


@pytest.fixture
def host() -> None:
    """Skips where the language model has not been fetched."""
    if store.load(config.cache_dir(), config.load().host()[0]) is None:
        pytest.skip("no language model here: run `assistant build`")


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize(("question", "kernel", "figure"), QUESTIONS)
def test_ask(question: str, kernel: str, figure: int, cli: Cli) -> None:
    done = cli("ask", question, "--json")
    assert done.status == 0, done.err
    record = done.record
    assert set(record) >= {
        "answer", "figures", "calls", "router", "confidence", "passes", "seconds",
    }  # fmt: skip
    assert record["figures"] == [figure]
    assert str(figure) in record["answer"].replace(",", "")
    assert [c["kernel"] for c in record["calls"]] == [kernel]
    assert record["passes"] > 0
    assert 0 <= record["confidence"] <= 1


def test_ask_needs_a_question(cli: Cli) -> None:
    done = cli("ask", "  ")
    assert done.status == 2
    assert "question" in done.complaint
    assert cli("ask").status == 2
    assert cli("ask", "1 + 1", "--mode", "fast").status == 2
    assert cli("ask", "1 + 1", "--host", "nobody").status == 2
