"""The router that lets the host write: its prompt, its grammar, and what it makes of the text."""

import pytest
from llguidance import LLMatcher

from assistant.router import generate
from assistant.router.filling import call_of, signatures
from assistant.router.generate import GenerateRouter, every_shot, grammar, literal, parse
from assistant.router.numbers import read
from assistant.router.places import message

QUESTIONS = {
    "14 crates of 60 bottles, 35 break": "sub(mul(14, 60), 35)",
    "sort 9,1,8,2": "sort([9, 1, 8, 2])",
    "[[1,2],[3,4]] times [[5,6],[7,8]]": "matmul([[1, 2], [3, 4]], [[5, 6], [7, 8]])",
    "hex 7D0": "fromhex(7d0)",
    "5 and 6": "mean([5, mul(6, 2)])",
    "from 2024-02-01 to 2024-03-01": "datediff(2024-02-01, 2024-03-01)",
    "1,200 and -7": "add(1200, -7); isprime(1200)",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_the_grammar_allows_is_parsed_to_the_same_calls(question):
    text = QUESTIONS[question]
    asked = message(read(question))
    answers = parse(text, asked.places, signatures())
    said = "; ".join(generate._said(answer, asked.places) for answer in answers)
    assert said == text
    assert [call_of(answer, asked) for answer in answers]


@pytest.mark.parametrize("question", [*QUESTIONS, "", "no numbers", '"quoted" \\ 5', "3.5 and 7/8"])
def test_every_message_has_a_grammar(question):
    text = grammar(message(read(question)).places, signatures())
    assert LLMatcher.validate_grammar(LLMatcher.grammar_from_lark(text)) == ""


@pytest.mark.parametrize(("count", "taken"), [(1, True), (6, True), (7, False)])
def test_six_calls_are_enough(count, taken):
    from llguidance import LLTokenizer

    text = " " + "; ".join(["add(14, 60)"] * count) + "\n"
    tokenizer = LLTokenizer("byte")
    rules = grammar(message(read("14 crates of 60")).places, signatures())
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(rules))
    assert (matcher.try_consume_tokens(tokenizer.tokenize_str(text)) == len(text)) is taken


@pytest.mark.parametrize(
    "text", ["add(14", "add(14, 60", "add(14, 61)x", "sub(, 5)", "frob(3)", "sum([])"]
)
def test_a_text_that_was_cut_off_is_refused(text):
    asked = message(read("14 crates of 60"))
    with pytest.raises(ValueError, match="no whole call"):
        parse(text, asked.places, signatures())


def test_the_nearest_examples_say_it_in_like_words():
    shots = every_shot().nearest(
        message(read("what is the greatest common divisor of 84 and 36?")).text, 5
    )
    assert sum("gcd(" in shot.calls for shot in shots) >= 2


class Scripted:
    """A host that writes what it is told, and keeps its prompt."""

    name = "scripted"


@pytest.mark.parametrize(
    ("written", "confidence", "verdict", "calls"),
    [
        (" sub(mul(14, 60), 35)\n", 0.9, "calls", ["sub(mul(14, 60), 35)"]),
        (" none\n", 0.9, "chat", []),
        (" other\n", 0.9, "unsure", []),
        (" sub(mul(14, 60), 35)\n", 0.1, "unsure", []),
        (" sub(mul(14, ", 0.9, "unsure", []),
    ],
)
def test_a_question_is_routed(monkeypatch, written, confidence, verdict, calls):
    seen = []

    def write(host, prompt, grammar, most):
        seen.append(prompt)
        return written, confidence

    monkeypatch.setattr(generate.constrained, "write", write)
    question = "14 crates of 60 bottles, 35 break. How many are whole?"
    routed = GenerateRouter(Scripted(), 0.5, shots=4).route(question)
    assert (routed.verdict, [str(c) for c in routed.calls]) == (verdict, calls)
    assert seen[0].endswith(f"Question: {question}\nCalls:")
    assert seen[0].count("Question:") == 5
    # Two ends of a line are one token of many hosts, which the grammar could not take.
    assert "\n\n" not in seen[0][seen[0].index("Question:") :]
    if calls:
        spans = [question[a:b] for part in routed.calls[0].spans for a, b in part]
        assert spans == ["14", "60", "35"]


def test_a_literal_is_a_number_of_the_message():
    places = message(read("1,200 of [4, 5] at 7:05")).places
    assert [literal(place) for place in places] == ["1200", "[4, 5]", "7:05:00"]
