"""From a question to an answer: figures come from the machine's outputs and nowhere else."""

import json

import pytest

from assistant import config
from assistant.answer import Assistant
from assistant.router import Call, Routed
from assistant.wording import words
from vgpu.errors import InputError


class Planned:
    """A router that answers what it was told."""

    def __init__(self, verdict, *calls, reason=""):
        spans = [tuple(((0, 1),) for _ in args) for _, args in calls]
        self.routed = Routed(
            verdict,
            tuple(Call(k, tuple(a), s) for (k, a), s in zip(calls, spans, strict=True)),
            "planned",
            0.9,
            reason,
        )

    def route(self, question, before=None):
        return self.routed


class LyingMachine:
    """Returns figures that no arithmetic would give."""

    def __init__(self, out, status=0):
        self.outputs = {"out": out, "status": [status]}

    def run(self, program, inputs, outputs, **launch):
        from vgpu import Run

        return Run(program.kernel, (1, 1, 1), (1, 1, 1), "lies", dict(self.outputs), {}, 3, 6, 6)


def ask(host, router, machine=None):
    settings = config.load({"engine": "interpreter"})
    return Assistant(settings, host=host, router=router, machine=machine).answer("a question")


@pytest.mark.parametrize(
    ("kernel", "args", "figure"),
    [
        ("dot", [[1, 2, 3], [4, 5, 6]], 32),
        ("dot", [[-7, 8], [9, 10]], 17),
        ("sort", [[5, -1, 3]], [-1, 3, 5]),
        ("matmul", [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[19, 22], [43, 50]]),
        ("isprime", [97], 1),
    ],
)
def test_a_call_is_computed_by_the_machine(host, kernel, args, figure):
    answer = ask(host, Planned("calls", (kernel, args)))
    record = answer.record()
    assert record["figures"] == [figure]
    assert record["passes"] > 0
    assert str(figure) in answer.text
    assert answer.ok


def test_the_figure_is_what_the_machine_gave_even_when_it_is_wrong(host):
    answer = ask(host, Planned("calls", ("add", [2, 2])), LyingMachine([5]))
    assert answer.text == "2 + 2: **5** · add(2, 2) · 3 passes"
    assert answer.record()["figures"] == [5]
    assert "computed in the network · 6 words" in answer.footing


@pytest.mark.parametrize(
    ("kernel", "args", "reason"),
    [
        ("div", [1, 0], "division by zero"),
        ("factorial", [21], "does not fit 64 bits"),
        ("mul", [99999, 10**15], "does not fit 64 bits"),
    ],
)
def test_no_figure_is_shown_when_the_kernel_says_so(host, kernel, args, reason):
    answer = ask(host, Planned("calls", (kernel, args)))
    assert reason in answer.text
    assert answer.record()["figures"] == []
    assert not answer.ok


def test_calls_inside_a_call_run_first_and_their_results_go_on(host):
    inner = Call("mul", (38, 26), (((0, 2),), ((3, 5),)))
    answer = ask(host, Planned("calls", ("sub", [inner, 715])))
    assert answer.text.startswith("(38 × 26) − 715: **273** · sub(mul(38, 26), 715) · ")
    (call,) = json.loads(json.dumps(answer.record()))["calls"]
    assert call["call"] == "sub(mul(38, 26), 715)"
    assert call["args"][0]["args"] == [38, 26]
    assert Call.of(call) == answer.computed[0].call
    too_large = Call("mul", (10**12, 10**12), ((), ()))
    failed = ask(host, Planned("calls", ("sum", [[too_large, 1]])))
    assert "mul(1000000000000, 1000000000000): the result does not fit 64 bits" in failed.text


def test_digits_are_written_as_people_write_them(host):
    answer = ask(host, Planned("calls", ("tohex", [48879])))
    assert answer.text.startswith("48,879 in hexadecimal: **0xbeef** · ")
    assert answer.record()["figures"] == ["0xbeef"]


def test_several_calls_are_several_figures(host):
    answer = ask(host, Planned("calls", ("max", [[1, 9, 3]]), ("min", [[4, 2]])))
    first, second = answer.text.splitlines()
    assert first.startswith("the largest of [1, 9, 3]: **9** · ")
    assert second.startswith("the smallest of [4, 2]: **2** · ")


def test_chat_is_marked_as_not_computed(host):
    answer = ask(host, Planned("chat"))
    assert answer.text == "you said: a question"
    assert "not computed" in answer.footing
    assert answer.record()["figures"] == []
    assert answer.ok


def test_unsure_says_so_and_fails(host):
    answer = ask(
        host, Planned("unsure", reason="I am not sure; my best reading is add(1, 2), at 40%")
    )
    assert "not sure" in answer.text
    assert "add(1, 2)" in answer.text
    assert not answer.ok


def test_record_has_the_fixed_shape(host):
    record = ask(host, Planned("calls", ("gcd", [12, 18]))).record()
    fixed = {"answer", "figures", "calls", "router", "confidence", "passes", "seconds"}
    assert fixed <= set(record)
    assert record["calls"][0]["call"] == "gcd(12, 18)"


@pytest.mark.parametrize(
    ("kernel", "args", "figure"),
    [("div", [7, 2], 3), ("div", [-7, 2], -4), ("percent", [15, 50], 7), ("mean", [[1, 2]], 1)],
)
def test_a_rounded_figure_says_so(host, kernel, args, figure):
    answer = ask(host, Planned("calls", (kernel, args)))
    assert f", rounded down: **{figure}** · " in answer.text
    assert answer.record()["figures"] == [figure]
    assert answer.record()["calls"][0]["rounds"] == "down"


def test_other_figures_are_not_said_to_be_rounded(host):
    answer = ask(host, Planned("calls", ("add", [7, 2])))
    assert answer.text.startswith("7 + 2: **9** · ")
    assert answer.record()["calls"][0]["rounds"] is None


@pytest.mark.parametrize(
    ("kernel", "args", "reason"),
    [
        ("dot", [[1, 2], [3, 4, 5]], "must be equal"),
        ("add", [10**19, 1], "10000000000000000000 does not fit 64 bits"),
        ("add", [10**3000, 1], "does not fit 64 bits"),
    ],
)
def test_arguments_that_a_kernel_does_not_take_are_a_problem(host, kernel, args, reason):
    answer = ask(host, Planned("calls", (kernel, args)))
    record = answer.record()
    assert not answer.ok
    assert reason in answer.text
    assert reason in record["calls"][0]["problem"]
    assert record["figures"] == []
    assert len(answer.text) < 500
    assert len(answer.footing) < 500


def test_a_question_that_is_not_text_is_refused(host):
    assistant = Assistant(config.load({}), host=host, router=Planned("chat"))
    with pytest.raises(InputError, match="UTF-8"):
        assistant.answer("what is \udcff plus 3")


def test_every_kernel_is_put_into_words():
    import codegen

    for name, kernel in codegen.catalog().items():
        said = words(Call(name, tuple(kernel.example), ((),) * len(kernel.args)))
        assert said and "{" not in said, name


def test_dates_and_times_are_said_as_such():
    spans = ((),) * 6
    assert words(Call("datediff", (2024, 2, 1, 2024, 3, 11), spans)) == (
        "days from 2024-02-01 to 2024-03-11"
    )
    assert words(Call("addtime", (9, 5, 0, 1, 50, 30), spans)) == "9:05:00 + 1:50:30"


@pytest.mark.parametrize(
    ("kernel", "args", "said"),
    [
        ("sub", (2026, 1987), "2026 − 1987"),
        ("add", (12_345, -9999), "12,345 + -9999"),
        ("datediff", (1999, 3, 4, 2026, 12, 31), "days from 1999-03-04 to 2026-12-31"),
        ("later", (13, 48, 0, 95), "95 minutes after 13:48"),
        ("earlier", (7, 5, 30, 1500), "1500 minutes before 7:05:30"),
        ("addtime", (14, 30, 0, 2, 45, 30), "14:30:00 + 2:45:30"),
    ],
)
def test_calls_in_words(kernel, args, said):
    assert words(Call(kernel, args, ((),) * len(args))) == said
