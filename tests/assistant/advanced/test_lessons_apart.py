"""No lesson is a task of the evaluation: not by its words, its code, or what it computes; and the
generated evaluation is made of families that are not learnt from."""

from __future__ import annotations

import itertools
import json
import random
import re

import pytest

from assistant.advanced.lessons import data, filling, lesson
from assistant.advanced.lessons.pieces import patterns
from assistant.advanced.task import of_record
from evals import advanced, make_generated
from evals.advanced import KERNELS
from evals.basic import QUESTIONS
from evals.oracle import lessons as oracle
from tests.assistant.test_kernel_library import shape, words

TASKS = json.loads((QUESTIONS / "advanced5.json").read_text(encoding="utf-8"))
GENERATED = json.loads(make_generated.FILE.read_text(encoding="utf-8"))
_OWN_WORDS = 7
_PROGRAMS = 2000


@pytest.fixture(scope="module")
def some():
    return list(itertools.islice(lesson.lessons(8), 250))


def shingles(text):
    found = words(text)
    return {tuple(found[at : at + _OWN_WORDS]) for at in range(len(found) - _OWN_WORDS + 1)}


def test_no_wording_of_the_evaluation(some):
    foreign = set().union(*(shingles(task["task"]) for task in TASKS))
    for one in some:
        assert not shingles(one.task.question) & foreign, one.task.question


def test_no_program_of_the_evaluation(some):
    foreign = {" ".join(shape(p.read_text(encoding="utf-8"))) for p in sorted(KERNELS.glob("*.cu"))}
    head = of_record(TASKS[0]).signature
    for one in some:
        assert " ".join(shape(lesson.source(head, one.body))) not in foreign, one.family


def test_no_lesson_computes_a_task_of_the_evaluation():
    """By the references, on the hidden inputs: one list, whatever the other parameters are."""
    rng = random.Random(6)
    for one in itertools.islice(_programs(rng), _PROGRAMS):
        for task in TASKS:
            assert not _solves(one, task), (one.family, task["id"])


def _programs(rng):
    """Fillings with constants, without a wording; each family of one list in turn."""
    found = [f for p in patterns() if p.lists == 1 for f in filling.every(p)]
    rng.shuffle(found)
    # Those of few families first: singles and such are all among them.
    few = [f for f in found if len(f.chosen) < 2]
    for filled in [*few, *found]:
        made = _Bare.of(filled, rng)
        if made:
            yield made


class _Bare:
    """What the references need of a lesson."""

    def __init__(self, filled, values):
        self.filled, self.values = filled, values
        self.family = filled.family

    @classmethod
    def of(cls, filled, rng):
        known = data.domain(filled, rng)
        if known is None:
            return None
        values = data.constants(filled, known, known.lists(1, rng), rng)
        return None if lesson.forbidden(filled, values) else cls(filled, values)

    def consts(self, inputs):
        return self.values


def _solves(one, task):
    """Whether it is right on all hidden inputs; what it cannot take it does not solve."""
    for case in task["hidden_inputs"]:
        answer = case["answer"]
        try:
            got = oracle.expected(one, case["inputs"])
        except (ValueError, IndexError, ZeroDivisionError, OverflowError):
            return False
        if got != (answer if isinstance(answer, list) else [answer]):
            return False
    return True


def test_the_references_know_the_tasks_of_the_evaluation():
    """So that the test above is one: fillings that are forbidden do solve them."""
    known = {pattern.name: pattern for pattern in patterns()}
    even = next(p for p in filling.pieces("condition") if p.name == "even")
    gap = next(p for p in filling.pieces("combination") if p.name == "distance")
    pair = next(p for p in filling.pieces("relation") if p.name == "greater")
    chosen = [("count", {"c": even}, {}), ("sorted_largest", {"v": gap}, {}),
              ("window_mean", {}, {("", "q"): 3}), ("pair_count", {"r": pair}, {}),
              ("base_digits", {}, {("", "q"): 10})]  # fmt: skip
    for (name, parts, values), task in zip(chosen, TASKS, strict=True):
        slots = {slot: filling.Chosen((part,)) for slot, part in parts.items()}
        filled = filling.Filled(known[name], slots)
        assert _solves(_Bare(filled, values), task), name
        assert (
            not filling.allowed(filled) or lesson.forbidden(filled, values) or name == "base_digits"
        )


def test_the_generated_evaluation_is_as_its_seed_gives_it():
    assert make_generated.records() == GENERATED
    assert len(GENERATED) == make_generated.TASKS
    assert advanced.load(make_generated.FILE) == GENERATED


def test_no_family_of_the_generated_evaluation_is_learnt_from():
    for record in GENERATED:
        assert lesson.held_out(" ".join(record["tags"])), record["id"]
        assert 5 <= len(record["hidden_inputs"]) <= 7


def test_the_generated_evaluation_shares_no_wording_with_lessons(some):
    texts = {_bare(one.task.question) for one in some if not lesson.held_out(one.family)}
    assert not texts & {_bare(record["task"]) for record in GENERATED}


def _bare(text):
    return " ".join(re.findall(r"[a-z]+", text.lower()))
