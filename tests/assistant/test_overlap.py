"""No evaluation question, and none of its wording, is among what the router learns from."""

import json
import random

import pytest

from assistant.router import corpus
from assistant.router.numbers import read
from assistant.router.places import message
from evals.basic import QUESTIONS

# Wordings this short are everybody's ("x times y"); longer ones must be our own.
_OWN_WORDS = 6


def normal(text):
    words = "".join(c if c.isalnum() or c.isspace() else " " for c in text.lower())
    return " ".join(words.split())


@pytest.fixture(scope="module")
def training():
    rng = random.Random(1)
    return [e for p in corpus.phrasings() for e in corpus.generate(p, 2, rng)]


@pytest.mark.parametrize("name", ["basic24.json", "advanced5.json"])
def test_no_question_is_shared(training, name):
    records = json.loads((QUESTIONS / name).read_text())
    asked = [record.get("question") or record.get("task") for record in records]
    assert all(asked)
    questions = {normal(example.question) for example in training}
    wordings = {normal(message(read(example.question)).text) for example in training}
    for question in asked:
        assert normal(question) not in questions
        wording = normal(message(read(question)).text)
        if sum(word.isalpha() for word in wording.split()) >= _OWN_WORDS:
            assert wording not in wordings, wording
