"""The evaluation of advanced mode: the reference kernels go through everything but the host."""

import json

import pytest

import vgpu
from assistant import config
from assistant.advanced import attempts, write
from assistant.advanced.mode import AdvancedMode
from assistant.advanced.task import of_record
from assistant.cli import main
from evals import advanced
from vgpu.errors import InputError

RECORDS = advanced.load(advanced.DEFAULT)


@pytest.fixture(scope="module")
def machine():
    return vgpu.Machine(engine="interpreter")


@pytest.fixture
def mode(machine):
    settings = config.load({"engine": "interpreter"})
    return AdvancedMode(settings, writer=advanced.Oracle(), machine=machine)


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r["id"])
def test_the_reference_kernels_are_right(record, machine):
    """On the shown and on all hidden inputs; what the checks add is below, for fewer."""
    task = of_record(record)
    bench = attempts.Bench(machine, 30_000)
    for suffix in ("", "_again"):
        text = (advanced.KERNELS / f"{task.signature.name}{suffix}.cu").read_text(encoding="utf-8")
        attempt = attempts.Attempt(1, write.read(text, task, 1.0))
        bench.compile(attempt, task)
        assert advanced._wrong(attempt, task, record, bench) == ""


def test_two_references_give_the_answer(mode):
    result = advanced.evaluate([RECORDS[2]], mode)
    item = result["items"][0]
    assert (result["right"], result["shown_wrong"], result["first_try"]) == (1, 0, 1)
    assert item["answer"] == RECORDS[2]["answer"]
    assert [program["right"] for program in item["programs"]] == [True, True]
    assert result["compiled"] == result["programs"] == 2


def test_a_wrong_program_is_seen_on_a_hidden_input(mode, tmp_path):
    record = RECORDS[0] | {"hidden_inputs": [{"inputs": {"a": [2], "n": 1}, "answer": 0}]}
    item = advanced.evaluate([record], mode)["items"][0]
    assert not item["right"] and item["shown"]
    assert item["reason"] == "wrong result on hidden input 1: 1, expected 0"


def test_a_task_without_a_reference_is_told(mode):
    record = RECORDS[0] | {"signature": "__global__ void unheard(const int* a, int n, int* out)"}
    item = advanced.evaluate([record], mode)["items"][0]
    assert not item["right"] and "no such reference kernel" in item["reason"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "not a file of tasks"),
        ("{}", "expected a list"),
        ('[{"id": "x"}]', "has no answer"),
        (json.dumps([RECORDS[0] | {"output": "out[9]"}]), "a1: output"),
        (json.dumps([RECORDS[0] | {"signature": "f"}]), "a1: signature"),
        (json.dumps([RECORDS[0] | {"inputs": {"a": "x", "n": 1}}]), "a: expected a list"),
        (json.dumps([RECORDS[0] | {"hidden_inputs": [{}]}]), "not of the form"),
    ],
)
def test_other_files_are_refused(text, said, tmp_path):
    path = tmp_path / "tasks.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        advanced.load(path)


def test_the_command_prints_one_object_and_writes_a_report(tmp_path, capsys):
    tasks = tmp_path / "tasks.json"
    tasks.write_text(json.dumps(RECORDS[:1]), encoding="utf-8")
    arguments = ["--host", "oracle", "--engine", "interpreter", "--questions", str(tasks)]
    status = main(["eval", "advanced", *arguments, "--report", str(tmp_path / "r"), "--json"])
    result = json.loads(capsys.readouterr().out)
    assert (status, result["right"], result["total"], result["host"]) == (0, 1, 1, "oracle")
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "atomicAdd(&amp;out[0], 1)" in page
    assert json.loads((tmp_path / "r" / "result.json").read_text(encoding="utf-8")) == result
