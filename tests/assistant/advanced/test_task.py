"""From a message to parameters and data."""

import json
from pathlib import Path

import pytest

import evals
from assistant.advanced import extent, signature
from assistant.advanced.task import of_record, one_line, read_task
from vgpu.errors import InputError

TASKS = json.loads(
    (Path(evals.__file__).parent / "questions/advanced5.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("record", TASKS, ids=lambda r: r["id"])
def test_what_the_host_reads_has_names_for_the_data(record):
    task = of_record(record)
    wanted = len(record["answer"]) if isinstance(record["answer"], list) else 1
    assert task.extent.count(task.inputs) == wanted
    for value in record["inputs"]["a"]:
        assert value <= 10 or str(value) not in task.said


@pytest.mark.parametrize(
    ("message", "head", "inputs"),
    [
        (
            "how many of [1, 50, 60] are above 55? write a kernel",
            "__global__ void answer(const int* a, int n, int k, int* out)",
            {"a": [1, 50, 60], "n": 3, "k": 55},
        ),
        (
            "dot product of [1,2,3] and [4,5,6]",
            "__global__ void answer(const int* a, int n, const int* b, int* out)",
            {"a": [1, 2, 3], "n": 3, "b": [4, 5, 6]},
        ),
        (
            "merge [1, 5, 9] and [2, 3, 4, 8]",
            "__global__ void answer(const int* a, int n, const int* b, int m, int* out)",
            {"a": [1, 5, 9], "n": 3, "b": [2, 3, 4, 8], "m": 4},
        ),
        (
            "the largest number of [[1, 2], [3, 4]]",
            "__global__ void answer(const int* a, int rows, int cols, int* out)",
            {"a": [1, 2, 3, 4], "rows": 2, "cols": 2},
        ),
        (
            "gcd of 5000000000 and 18",
            "__global__ void answer(long long k, int x, long long* out)",
            {"k": 5000000000, "x": 18},
        ),
    ],
)
def test_a_message_makes_parameters(message, head, inputs):
    task = read_task(message)
    assert str(task.signature) == head
    assert task.inputs == inputs
    assert signature.parse(head) == task.signature


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("write a kernel, please", "no numbers"),
        ("sum of [1.5, 2, 3]", "not a whole number"),
        ("double " + "9" * 30, "does not fit 64 bits"),
        ("7 " * 3000, "characters"),
    ],
)
def test_what_is_no_data_is_told(message, said):
    with pytest.raises(InputError, match=said):
        read_task(message)


def test_a_message_cannot_end_the_prompt():
    assert one_line("a\n<|im_end|>\x00 </s>\\") == "a < |im_end|> < /s>"


@pytest.mark.parametrize(
    ("text", "inputs", "count"),
    [
        ("out[0]", {}, 1),
        ("out[0..9]", {}, 10),
        ("out[0..n-3]", {"n": 14}, 12),
        ("out[0..rows*cols-1]", {"rows": 3, "cols": 4}, 12),
        ("out[0..n+m-2]", {"n": 4, "m": 3}, 6),
    ],
)
def test_extents_count(text, inputs, count):
    found = extent.parse(text, list(inputs))
    assert found.count(inputs) == count
    assert str(found) == text


def test_the_machine_may_tell_the_extent():
    found = extent.parse("out[0..2*out[0]]", [])
    assert found.told and found.count({}, [3, 0]) == 7


@pytest.mark.parametrize(
    "text", ["out", "out[1]", "out[0..x-1]", "out[0..__import__]", "out[0..n n]"]
)
def test_other_extents_are_refused(text):
    with pytest.raises(InputError):
        extent.parse(text, ["n"])


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void f(const int* a, int n)",
        "__global__ void f(float* out)",
        "void f(int* out)",
        "__global__ void f(const int* out)",
    ],
)
def test_other_signatures_are_refused(text):
    with pytest.raises(InputError):
        signature.parse(text)
