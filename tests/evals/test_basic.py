"""Scoring by value: what is right, what is wrong, and where it went wrong."""

import json

import pytest

from assistant.answer import Answer, Computed
from assistant.router import Call, Routed
from evals import basic
from evals.report import calibration, confusion, write
from vgpu.errors import InputError


def question(calls, answer, *tags):
    return {"id": "q", "question": "?", "answer": answer, "calls": calls, "tags": list(tags)}


def answered(*computed, verdict="calls", reason=""):
    routed = Routed(verdict, tuple(c.call for c in computed), "test", 0.8, reason)
    return Answer("?", routed, tuple(computed))


def made(kernel, args, figure, problem=None):
    spans = tuple(() for _ in args)
    return Computed(Call(kernel, tuple(args), spans), figure, problem, 5, 5, 0.1, written="x")


ADD = question(["add(2,3)"], 5)
TWO = question(["div(7,2)", "mod(7,2)"], [3, 1])
CHAT = question([], None, "chat")
HEX = question(["tohex(48879)"], "0xBEEF")
TIME = question(["later(13,48,0,95)"], "15:23")
LARGE = question(["mul(9,9)"], 10**20, "overflow")


@pytest.mark.parametrize(
    ("asked", "answer", "right", "wrong", "reason"),
    [
        (ADD, answered(made("add", [2, 3], 5)), True, False, ""),
        (ADD, answered(made("add", [2, 3], 6)), False, True, "arguments"),
        (ADD, answered(made("sub", [2, 3], -1)), False, True, "routing"),
        (ADD, answered(made("add", [2, 3], 5), made("add", [1, 1], 2)), False, True, "routing"),
        (ADD, answered(verdict="unsure", reason="no"), False, False, "routing: declined, no"),
        (ADD, answered(verdict="chat"), False, False, "routing: taken for talk"),
        (ADD, answered(made("add", [2, 3], None, "it broke")), False, False, "machine: it broke"),
        (TWO, answered(made("div", [7, 2], 3), made("mod", [7, 2], 1)), True, False, ""),
        (TWO, answered(made("mod", [7, 2], 1), made("div", [7, 2], 3)), False, True, "arguments"),
        (CHAT, answered(verdict="chat"), True, False, ""),
        (CHAT, answered(made("add", [2, 3], 5)), False, True, "routing: computed add(2, 3)"),
        (HEX, answered(made("tohex", [48879], "0xbeef")), True, False, ""),
        (LARGE, answered(made("mul", [9, 9], None, "does not fit 64 bits")), True, False, ""),
        (LARGE, answered(made("mul", [9, 9], 7)), False, True, "arguments"),
        (TIME, answered(made("later", [13, 48, 0, 95], "15:23")), True, False, ""),
        (TIME, answered(made("later", [13, 48, 0, 95], "15:23:00")), True, False, ""),
        (TIME, answered(made("later", [13, 48, 0, 95], "15:23:01")), False, True, "arguments"),
    ],
)
def test_a_question_is_scored_by_value(asked, answer, right, wrong, reason):
    record = basic.score(asked, answer)
    assert (record["right"], record["wrong"]) == (right, wrong)
    assert record["reason"].startswith(reason)


def test_the_kernels_of_gold_calls_have_our_names():
    asked = question(["digitsum(pow(7,11))", "fact(3)"], [49, 6])
    assert basic.gold_kernels(asked) == ["digitsum", "factorial", "power"]


def test_the_public_questions_are_here_and_whole():
    assert len(basic.load(basic.DEFAULT)) == 24


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]", '[{"id": 1}]'])
def test_a_file_that_holds_no_questions_is_refused(tmp_path, text):
    path = tmp_path / "q.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"q\.json"):
        basic.load(path)


def result(*rights):
    items = [
        basic.score(
            question(["add(2,3)"], 5) | {"id": f"q{i}"},
            answered(made("add", [2, 3], 5 if r else 6)),
        )
        for i, r in enumerate(rights)
    ]
    return {
        "right": sum(rights), "total": len(items), "shown_wrong": 0, "host": "H", "router": "r",
        "seconds": 1.0, "items": items,
    }  # fmt: skip


def test_two_results_are_compared():
    changes = basic.compare(result(True, False, True), result(False, True, True, True))
    assert changes == {"better": ["q1"], "worse": ["q0"], "only_before": [], "only_after": ["q3"]}


def test_the_report_holds_every_question_and_escapes_them(tmp_path):
    found = result(True, False)
    found["items"][0]["question"] = "<script>alert(1)</script>"
    page = write(found, "a title", tmp_path / "new").read_text()
    assert "1 of 2" in page and "<script>" not in page and "&lt;script&gt;" in page
    assert json.loads((tmp_path / "new" / "result.json").read_text())["right"] == 1


def test_confusion_and_calibration():
    items = [
        {
            "gold": ["add"],
            "kernels": ["sub"],
            "verdict": "calls",
            "confidence": 0.95,
            "right": False,
        },
        {
            "gold": ["add"],
            "kernels": ["add"],
            "verdict": "calls",
            "confidence": 0.91,
            "right": True,
        },
        {"gold": ["gcd"], "kernels": [], "verdict": "unsure", "confidence": 0.2, "right": False},
    ]
    assert confusion(items) == [("add", "sub", 1), ("gcd", "unsure", 1)]
    (low, bad, one), (high, half, two) = calibration(items)
    assert (low, bad, one, half, two) == (0.2, 0.0, 1, 0.5, 2)
    assert 0.9 < high < 0.95
