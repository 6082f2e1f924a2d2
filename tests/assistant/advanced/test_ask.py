"""`assistant ask --mode advanced`, with a host that writes given texts."""

import json

import pytest

from assistant.advanced.mode import AdvancedMode
from assistant.cli import main
from tests.assistant.scripted import QUESTION, RENAMED, Scripted


@pytest.fixture
def scripted(monkeypatch):
    monkeypatch.setattr(AdvancedMode, "writer", Scripted(*RENAMED[:2]))


def ask(*more):
    return main(["ask", QUESTION, "--mode", "advanced", "--engine", "interpreter", *more])


def test_it_tells_what_it_does_and_answers(scripted, capsys):
    assert ask("--show", "cuda", "--save", "above_it") == 0
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert lines[0] == "3"
    assert "2 attempts" in lines[1]
    assert lines[2].startswith("__global__ void answer")
    assert "a[i] > k" in told.out  # the 20 of the message became its parameter again
    assert "attempt 1: passed its checks" in told.err and "kept: " in told.err
    assert main(["run", "above_it", "--block", "32", "--in", "a=1,2,9", "--set", "n=3",
                 "--set", "k=1", "--out", "out=1", "--engine", "interpreter"]) == 0  # fmt: skip
    assert capsys.readouterr().out.startswith("out = 2")


def test_json_is_one_object(scripted, capsys):
    assert ask("--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["figures"] == [3]
    assert {"answer", "calls", "router", "confidence", "passes", "seconds"} <= set(record)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--save", "a b"], "expected a name"),
        (["--show", "wasm"], "expected cuda, ptx, asm"),
    ],
)
def test_wrong_calls_end_in_a_line(arguments, said, scripted, capsys):
    assert ask(*arguments) == 2
    assert said in capsys.readouterr().err


def test_options_of_advanced_mode_are_refused_in_basic_mode(capsys):
    assert main(["ask", "2 + 2", "--mode", "basic", "--show", "cuda"]) == 2
    assert "--mode advanced" in capsys.readouterr().err
