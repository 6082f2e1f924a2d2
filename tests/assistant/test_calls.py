"""Call expressions, the places that they point at, and the rows of symbols between."""

import random

import pytest

from assistant.router import calls, corpus, symbols
from assistant.router.clock import moments
from assistant.router.filling import call_of, signatures
from assistant.router.numbers import read
from assistant.router.places import message
from assistant.router.symbols import Grammar


@pytest.fixture(scope="module")
def grammar():
    return Grammar(signatures(), ["=2", "=12", "=60", "=100"])


@pytest.mark.parametrize(
    "text",
    ["add(a, b)", "sub(mul(a, b), =3); isprime(c)", "sum(list(a, mul(b, c)))", "none", "other"],
)
def test_what_is_parsed_is_said_again(text):
    assert "; ".join(calls._text(answer) for answer in calls.parse(text)) == text


@pytest.mark.parametrize("text", ["", "add(a", "add(a,)", "add a", "(a)", "add(a;b)", "a!"])
def test_what_is_no_call_is_refused(text):
    with pytest.raises(ValueError):
        calls.parse(text)


def test_every_family_of_the_corpus_fits_the_kernels():
    known = signatures()

    def fits(expression):
        if isinstance(expression, calls.Apply):
            if expression.kernel not in (calls.LIST, calls.SAME):
                assert len(known[expression.kernel].args) == len(expression.args), str(expression)
            for arg in expression.args:
                fits(arg)

    for phrasing in corpus.phrasings():
        for answer in phrasing.answers:
            fits(answer)


def test_nearly_every_question_is_read_as_it_was_made(grammar):
    rng, misread, made = random.Random(5), 0, 0
    for phrasing in corpus.phrasings()[::7]:
        for example in corpus.generate(phrasing, 1, rng):
            asked = message(read(example.question))
            made += 1
            try:
                row = symbols.write(example, asked)
            except symbols.Misread:
                misread += 1
                continue
            assert row[-1] in (symbols.END, *calls.VERDICTS)
            constants = sorted({s for s in row if str(s).startswith("=")})
            before = example.question.startswith(corpus.BEFORE)
            wide = Grammar(grammar.signatures, constants, before)
            for at in range(len(row)):
                assert row[at] in wide.allowed(row[:at], asked.places), (example.question, row, at)
            assert wide.allowed(row, asked.places) == set()
    assert made > 1000
    assert misread < made / 40


@pytest.mark.parametrize(
    "text", ["no numbers", "only 4 of them", "[[1, 2], [3, 4]]", "on 2024-03-14", "at 7:30", "BEEF"]
)
@pytest.mark.parametrize("before", [False, True])
def test_no_way_through_the_grammar_ends_before_the_row_does(grammar, text, before):
    """A kernel that takes a date is no beginning where there is no date."""
    places, rng = message(read(text)).places, random.Random(text)
    wide = Grammar(grammar.signatures, grammar.constants, before)
    for _ in range(300):
        row = []
        while allowed := wide.allowed(row, places):
            ends = [s for s in allowed if s not in grammar.signatures and s != symbols.NEXT]
            longer = sorted(allowed, key=str)
            row.append(rng.choice(sorted(ends, key=str) if len(row) > 30 and ends else longer))
            if len(row) > 200:
                break
        else:
            assert row[-1] in (symbols.END, *calls.VERDICTS)
            wide.read(row)


@pytest.mark.parametrize(
    ("question", "row", "call"),
    [
        ("subtract 1,203 from 9000", ["sub", 1, 0, "."], "sub(9000, 1203)"),
        ("38 rows of 26, 715 sold", ["sub", "mul", 0, 1, 2, "."], "sub(mul(38, 26), 715)"),
        ("3, 4 and 5", ["sum", 3, "."], "sum([3, 4, 5])"),
        ("3, 4 and 5", ["mul", 0, 2, "."], "mul(3, 5)"),
        ("hex 7D0", ["fromhex", 0, "."], "fromhex(7d0)"),
        ("four dozen", ["mul", 0, 1, "."], "mul(4, 12)"),
        ("5 and 6", ["mean", "list", 0, "mul", 1, "=2", "]", "."], "mean([5, mul(6, 2)])"),
        ("2024-02-01 to 1 March 2024", ["datediff", 0, 1, "."], "datediff(2024, 2, 1, 2024, 3, 1)"),
        ("9:15 plus 1:50:30", ["addtime", 0, 1, "."], "addtime(9, 15, 0, 1, 50, 30)"),
    ],
)
def test_a_row_becomes_a_call_with_the_numbers_of_the_message(grammar, question, row, call):
    asked = message(read(question))
    for at in range(len(row)):
        assert row[at] in grammar.allowed(row[:at], asked.places)
    (answer,) = grammar.read(row)
    assert str(call_of(answer, asked)) == call


def test_places_keep_the_order_of_sizes_and_what_is_not_a_number():
    assert message(read("3 friends share 12")).text == "3 friends share 12"
    assert message(read("900 friends share 15")).text == "12 friends share 3"
    assert message(read("is 1011 or 0x1F larger?")).text.startswith("is 1010 or 0x2F")
    assert message(read("three dozen eggs")).text == "3 dozen eggs"
    places = message(read("lists [1,2,3] and 4")).places
    assert [p.kind for p in places] == ["list", "number"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 14 March 2024", [("date", (2024, 3, 14))]),
        ("March 3rd, 1999 and 2001-12-31", [("date", (1999, 3, 3)), ("date", (2001, 12, 31))]),
        ("31.12.2020, 12/31/2020", [("date", (2020, 12, 31)), ("date", (2020, 12, 31))]),
        ("7:45 pm, 0:05:09", [("time", (19, 45, 0)), ("time", (0, 5, 9))]),
        ("from 9 am to 12 p.m.", [("time", (9, 0, 0)), ("time", (12, 0, 0))]),
        ("at 7 o'clock, um 14 Uhr 30", [("time", (7, 0, 0)), ("time", (14, 30, 0))]),
        ("13 am, 25 Uhr, 5 Amps, 1.9 pm", []),
        ("de 18h47 à 22h12, 3h5", [("time", (18, 47, 0)), ("time", (22, 12, 0))]),
        ("12:30 am", [("time", (0, 30, 0))]),
        ("from 7:30 to 9:15: how long", [("time", (7, 30, 0)), ("time", (9, 15, 0))]),
        ("ratio 3:4, version 1.2.3, 99/99/2000", []),
    ],
)
def test_dates_and_times(text, found):
    assert [(m.kind, m.value) for m in moments(text)] == found
