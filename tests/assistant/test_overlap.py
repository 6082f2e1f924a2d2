"""No evaluation question, and none of its wording, is among what the router learns from."""

import json
import random
from collections import Counter, defaultdict

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


class Training:
    """What the router learns from, two questions from each phrasing and some of two in one
    message, found by the runs of words that they have."""

    def __init__(self):
        rng = random.Random(1)
        known = corpus.phrasings()
        made = [e for p in known for e in corpus.generate(p, 2, rng)]
        made += [
            e for p in corpus.pairs(known, len(known) // 5, rng) for e in corpus.generate(p, 1, rng)
        ]
        self.questions = sorted({normal(example.question) for example in made})
        self.texts = {normal(example.question): example.question for example in made}
        self._with = defaultdict(set)
        for at, question in enumerate(self.questions):
            for run in runs(question):
                self._with[run].add(at)

    def alike(self, question):
        """How many of the question's runs each training question has that has any."""
        found = Counter(at for run in runs(normal(question)) for at in self._with.get(run, ()))
        return {self.questions[at]: count for at, count in found.items()}


def wording(question):
    return normal(message(read(question)).text)


@pytest.fixture(scope="module")
def training():
    return Training()


@pytest.mark.parametrize("name", ["basic24.json", "advanced5.json"])
def test_no_question_is_shared(training, name):
    records = json.loads((QUESTIONS / name).read_text())
    asked = [record.get("question") or record.get("task") for record in records]
    assert all(asked)
    known = set(training.questions)
    for question in asked:
        assert normal(question) not in known
        own, alike = len(runs(normal(question))), training.alike(question)
        if own >= _OWN_WORDS:
            assert max(alike.values(), default=0) / own < _MOST_SHARED, question
        if sum(word.isalpha() for word in wording(question).split()) >= _OWN_WORDS:
            assert wording(question) not in {wording(training.texts[q]) for q in alike}, question
