"""What stands around a training question changes nothing of what it asks."""

import random
import re

import pytest

from assistant.router import calls, corpus, dress, symbols
from assistant.router.numbers import read
from assistant.router.places import message

_DOWN = re.compile(r"down|decimals|fraction|whole|integer|floor|truncat|left over|remainder|after")


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(8)
    return [
        example
        for phrasing in corpus.pairs(corpus.phrasings(), 200, rng)
        for example in corpus.generate(phrasing, 1, rng)
    ]


def test_two_questions_have_numbers_of_their_own(pairs):
    for example in pairs:
        first, second = example.phrasing.answers
        own = {n for n in calls.names(first) if n not in calls.VERDICTS}
        other = {n for n in calls.names(second) if n not in calls.VERDICTS}
        assert not own & other
        begins = min((example.slots[n].start for n in other), default=len(example.question))
        assert all(example.slots[n].end <= begins for n in own), example.question


def test_most_pairs_are_read_and_written_as_two_answers(pairs):
    written = 0
    for example in pairs:
        try:
            row = symbols.write(example, message(read(example.question)))
        except symbols.Misread:
            continue
        written += 1
        assert row.count(symbols.NEXT) == 1
    assert written > 0.9 * len(pairs)


@pytest.mark.parametrize(("call", "may"), [("percent(p, n)", True), ("add(a, b)", False)])
def test_only_what_is_rounded_down_is_said_to_be(call, may):
    rng, answers = random.Random(2), calls.parse(call)
    said = [dress.dressed("How much is it", answers, rng, english=True) for _ in range(600)]
    assert any(_DOWN.search(text) for text in said) is may


def test_a_text_that_says_how_it_rounds_is_left_alone():
    rng, answers = random.Random(2), calls.parse("div(a, b)")
    texts = {dress.dressed("How many full boxes", answers, rng, english=True) for _ in range(600)}
    assert not any("down" in text or "fraction" in text for text in texts)


def test_what_is_put_around_keeps_the_slots():
    rng, answers = random.Random(3), calls.parse("percent(p, n)")
    for _ in range(300):
        text = dress.dressed("what is {p}% of {n:big}", answers, rng, english=True)
        assert "{p}" in text and "{n:big}" in text
