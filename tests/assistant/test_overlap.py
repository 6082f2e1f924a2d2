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
_RUN = 4
_MOST_SHARED = 0.5


def normal(text):
    words = "".join(c if c.isalnum() or c.isspace() else " " for c in text.lower())
    return " ".join(words.split())


def runs(text):
    """Every few words in a row, numbers left out."""
    words = [word for word in text.split() if not word.isdigit()]
    return {" ".join(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}


def shared(question, questions):
    """The largest share of a question's runs of words that one question of the training has."""
    own = runs(normal(question))
    if len(own) < _OWN_WORDS:
        return 0
    return max(len(own & runs(other)) for other in questions) / len(own)


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
        assert shared(question, questions) < _MOST_SHARED, question
        wording = normal(message(read(question)).text)
        if sum(word.isalpha() for word in wording.split()) >= _OWN_WORDS:
            assert wording not in wordings, wording
