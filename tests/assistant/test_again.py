"""Follow-ups: what leans on the figure before, and calls made again with other numbers."""

import pytest

from assistant.router import Before, Call, filling
from assistant.router.again import Unlike, again
from assistant.router.calls import Apply, Name
from assistant.router.numbers import read
from assistant.router.places import message


def call(kernel, *args):
    """Every number stands somewhere in the message."""
    spans = tuple(tuple(a for s in arg.spans for a in s) if isinstance(arg, Call) else ((90, 91),)
                  for arg in args)  # fmt: skip
    return Call(kernel, args, spans)


def with_numbers(before, text):
    return str(again(before, [p for p in message(read(text)).places if p.text or p.kind != "list"]))


@pytest.mark.parametrize(
    ("before", "text", "made"),
    [
        (call("isprime", 97), "and 91?", "isprime(91)"),
        (call("percent", 17, 2340), "and of 500?", "percent(17, 500)"),
        (call("percent", 17, 2340), "and 20%?", "percent(20, 2340)"),
        (call("percent", 17, 2340), "with 20% of 300", "percent(20, 300)"),
        (call("mul", 12, 34), "the same for 5 and 6", "mul(5, 6)"),
        (call("sort", [3, 1, 2]), "the same for [9, 8]", "sort([9, 8])"),
        (call("sort", [3, 1, 2]), "and 5 and 6", "sort([5, 6])"),
        (call("gcd", 12, 18), "the same for [21, 14]", "gcd(21, 14)"),
        (call("dot", [1, 2], [3, 4]), "and [5, 6], [7, 8]?", "dot([5, 6], [7, 8])"),
        (call("sub", call("mul", 38, 26), 715), "and 40, 20, 9", "sub(mul(40, 20), 9)"),
        (call("add", call("sum", [1, 2]), 5), "and [7, 7, 7]", "add(sum([7, 7, 7]), 5)"),
    ],
)
def test_a_call_is_made_again(before, text, made):
    places = message(read(text)).places
    single = [p for p in places if p.kind != "list" or p.value is None or p.text]
    assert str(again(before, single)) == made


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (call("mul", 12, 34), "and 5, 6 or 7"),
        (call("isprime", 97), "and for [[1, 2], [3, 4]]"),
        (call("isprime", 97), "and 2.5?"),
        (call("datediff", 2024, 1, 1, 2025, 1, 1), "and 7?"),
    ],
)
def test_numbers_of_another_kind_are_refused(before, text):
    places = message(read(text)).places
    with pytest.raises(Unlike):
        again(before, [p for p in places if p.text])


def test_a_constant_stays_as_it_was():
    before = Call("mul", (7, 12), (((0, 1),), ()))
    assert str(again(before, message(read("and 9?")).places)) == "mul(9, 12)"


@pytest.mark.parametrize(
    ("question", "together"),
    [
        ("and times 3?", "Before: 40. and times 3?"),
        ("-12", "Before: 40. - 12"),
        ("  +5%", "Before: 40. + 5%"),
    ],
)
def test_a_message_is_read_with_the_figure_before(question, together):
    before = Before("40", call("mul", 4, 10))
    assert before.put_before(question) == together


def route(question, expression, before):
    together = before.put_before(question)
    return filling.filled(
        (expression,), message(read(together)), before, router="test", confidence=1.0,
        threshold=0.5, skipped=len(together) - len(question),
    )  # fmt: skip


def test_spans_are_those_of_the_message_itself():
    before = Before("40", call("mul", 4, 10))
    (made,) = route("-12 please", Apply("sub", (Name("@0"), Name("@1"))), before).calls
    assert made == Call("sub", (40, 12), ((), ((1, 3),)))
    (made,) = route("and 7?", Apply("same", (Name("@1"),)), before).calls
    assert str(made) == "mul(4, 7)"
    assert made.spans == ((), ((4, 5),))


def test_without_a_figure_before_it_says_so():
    routed = filling.filled(
        (Name("follow"),), message(read("and times 3?")), None,
        router="test", confidence=0.9, threshold=0.5,
    )  # fmt: skip
    assert routed.verdict == "unsure" and "leans on a figure before" in routed.reason
