"""Drafts: compiled, looked at, run; what is wrong with each is told."""

from copy import copy
from dataclasses import replace

import pytest

from assistant.advanced import literals, selfcheck, write
from assistant.advanced.attempts import Attempt, Bench, Failed
from assistant.advanced.cases import cases, more
from assistant.advanced.task import read_task
from tests.assistant.scripted import PARALLEL, SERIAL

HEAD = "// gives out[0]; order free\n__global__ void above(const int* a, int n, int* out) {\n"


def tried(text, task, machine, max_passes=2000):
    attempt = Attempt(1, write.read(text, task, 1.0))
    bench = Bench(machine, max_passes)
    bench.compile(attempt, task)
    selfcheck.check(attempt, task, cases(task, 1), bench)
    return attempt


@pytest.mark.parametrize("text", [PARALLEL, SERIAL])
def test_a_good_draft_passes(text, task, machine):
    attempt = tried(text, task, machine)
    assert attempt.checked == ("short", "past the end", "other order", "drawn", "wide")


@pytest.mark.parametrize(
    ("body", "stage", "said"),
    [
        ("out[0] = y;", "compile", "kernel.cu:2"),
        ("out[0] = 3;", "data", "reads none of its data"),
        ("out[0] = a[0] * 0 + 3;", "data", "constant"),
        ("int b[5] = {14, 31, 8, 27, 40}; out[0] = b[n % 5];", "data", "stand in the program"),
        ("int x = a[0];", "data", "nothing is written"),
        ("out[0] = n; // out[0] = a[0]", "check", "nothing but n"),
        ("out[0] = a[0];", "check", "order"),
        ("if (a[0] > 100000) out[0] = 1;", "output", "never written"),
        ("if (a[0] >= 0) out[0] = 5; else out[0] = 5 + a[0] * 0;", "data", "constant"),
        ("out[0] = a[0] / out[0];", "run", "division by zero"),
        ("for (int i = 0; i < 100000; i++) out[0] += a[i % n];", "run", "did not finish"),
        ("for (int i = 0; i <= n; i++) out[0] += a[i];", "check", "behind the list"),
        ("out[1] = a[0]; out[0] = a[1];", "output", "writes out[1]"),
    ],
)
def test_a_bad_draft_is_told_what_is_wrong(body, stage, said, task, machine):
    with pytest.raises(Failed) as failed:
        tried(f"{HEAD}    {body}\n}}\n", task, machine)
    assert (failed.value.stage, said in failed.value.problem) == (stage, True), failed.value.problem
    assert "\n" not in failed.value.problem


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        HEAD,
        HEAD.replace("int n", "float n") + "    out[0] = n;\n}\n",
        HEAD.replace("int n", "int m") + "    out[0] = a[m - 1];\n}\n",
        HEAD + "    out[0] = a[0];\n}\n__global__ void more(int* out) {\n    out[0] = 1;\n}\n",
        HEAD + '#include "/etc/passwd"\n    out[0] = a[0];\n}\n',
    ],
)
def test_what_is_no_kernel_of_the_task_fails_in_a_line(text, task, machine):
    with pytest.raises(Failed) as failed:
        tried(text, task, machine)
    assert failed.value.stage in ("write", "compile", "data")
    assert "\n" not in failed.value.problem


def test_literals_that_are_scalars_become_the_parameter_again():
    task = read_task("how many of [1, 50, 60, 70] are above 55?")
    source = f"{task.signature} {{ for (int i = 0; i < n; i++) if (a[i] > 55) out[0]++; }}"
    text, found = literals.lifted(source, task)
    assert "a[i] > k" in text
    assert found == ["55 is k"]
    used = source.replace("a[i] > 55", "a[i] > k + 55")
    assert literals.lifted(used, task) == (used, [])


def test_agreement_wants_programs_written_apart(task, machine):
    one, other = (tried(text, task, machine) for text in (PARALLEL, SERIAL))
    one.seen, other.seen = ("x",), ("x", "y")
    assert selfcheck.agreement([one, other]) is None
    other.seen = ("y",)
    assert selfcheck.agreement([one, other]).one is one
    other.results = other.results[:-1] + ((99,),)
    assert selfcheck.agreement([one, other]) is None
    assert "made-up data" in selfcheck.disagreement([one, other], cases(task, 1))


def test_a_result_that_seldom_varies_is_given_more_to_vary_with(machine):
    """Whether any two numbers multiply to more than -6278: for long lists of both signs, yes."""
    task = read_task("Do any two of -87, 43, -146, -153 and 46 multiply to more than -6278?")
    text = (
        f"// gives out[0]; order free\n{task.signature} {{\n    if (threadIdx.x == 0) {{\n"
        "        for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)"
        " if (a[i] * a[j] > k) out[0] = 1;\n    }\n}\n"
    )
    attempt, bench = Attempt(1, write.read(text, task, 1.0)), Bench(machine, 5000)
    bench.compile(attempt, task)
    with pytest.raises(Failed, match="never changes"):
        selfcheck.check(attempt, task, cases(task, 1), bench)
    selfcheck.check(attempt, task, cases(task, 1), bench, more(task, 1))


def test_what_a_trained_writer_doubts_is_not_agreed(task, machine):
    one, other = (tried(text, task, machine) for text in (PARALLEL, SERIAL))
    for attempt, likely in ((one, 0.3), (other, 0.15)):
        attempt.draft = replace(attempt.draft, probability=likely, after_examples=False)
        attempt.seen = ()
    assert selfcheck.agreement([one, other], sure=0.5) is None
    assert selfcheck.agreement([one, other], sure=0.4).one is one
    again = copy(one)  # the same program once more makes nothing likelier
    assert selfcheck.agreement([one, again], sure=0.4) is None


def test_cases_are_reproducible_and_keep_the_domain(task):
    assert cases(task, 3) == cases(task, 3)
    for case in cases(task, 3):
        if not case.loose:
            assert all(8 <= value <= 40 for value in case.inputs["a"])
            assert case.inputs["n"] <= len(case.inputs["a"])
