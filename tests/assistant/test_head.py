"""The head router with a fake host: fitting, keeping, declining."""

import pytest

from assistant import config
from assistant.router import examples, head
from assistant.router.opening import open_router
from assistant.router.patterns import Pattern


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, fake_host):
    host = fake_host()
    model, report = head.build(host, tmp_path_factory.mktemp("cache"), 10, 1)
    return head.HeadRouter(host, model, 0.3), report


def test_every_pattern_names_a_kernel_with_as_many_arguments():
    import codegen

    catalog = codegen.catalog()
    for pattern in examples.patterns():
        if pattern.calls:
            assert len(catalog[pattern.kernel].args) == len(pattern.slots), pattern.text


def test_every_pattern_has_many_phrasings():
    assert len({e.phrasing for e in examples.generate(1, 1)}) > 1000


def test_the_numbers_of_every_example_fill_its_pattern():
    assert list(examples.misread(examples.generate(30, 7))) == []


def test_the_same_seed_gives_the_same_examples():
    assert examples.generate(5, 3) == examples.generate(5, 3)
    assert examples.generate(5, 3) != examples.generate(5, 4)


def test_a_fit_separates_what_it_was_shown(fitted):
    router, report = fitted
    routed = router.route("what is the gcd of 84 and 36?")
    assert routed.verdict == "calls"
    assert str(routed.calls[0]) == "gcd(84, 36)"
    assert routed.router == "head"
    assert 0.3 <= routed.confidence <= 1
    assert report.examples > report.phrasings > report.held_out_total / 10


def test_spans_point_into_the_question(fitted):
    question = "subtract 1,203 from 9000"
    (call,) = fitted[0].route(question).calls
    texts = [[question[a:b] for a, b in spans] for spans in call.spans]
    assert str(call) == "sub(9000, 1203)"
    assert texts == [["9000"], ["1,203"]]


def test_greetings_are_chat_and_other_calculations_are_declined(fitted):
    assert fitted[0].route("tell me a joke about computers").verdict == "chat"
    routed = fitted[0].route("the median of 3, 9 and 4")
    assert (routed.verdict, routed.calls) == ("unsure", ())
    assert "no single kernel" in routed.reason


def test_below_the_threshold_it_says_what_it_understood(fitted):
    router = head.HeadRouter(fitted[0]._host, fitted[0]._head, threshold=1.1)
    routed = router.route("what is the gcd of 84 and 36?")
    assert routed.verdict == "unsure"
    assert "gcd(84, 36)" in routed.reason


def test_numbers_that_do_not_fit_are_declined(fitted):
    routed = fitted[0].route("what is the gcd of 84 and 36 and also 7 and perhaps 9 of them?")
    assert routed.verdict == "unsure"


def test_the_head_is_kept_and_refitted_when_what_it_depends_on_changes(host, tmp_path, capsys):
    settings = config.load({"router.examples": 2})
    open_router(settings, host)
    fitted_on = host.read
    assert fitted_on > 1000
    open_router(settings, host)
    assert host.read == fitted_on
    open_router(config.load({"router.examples": 2, "router.seed": 2}), host)
    assert host.read > fitted_on
    assert "held out" in capsys.readouterr().err


@pytest.mark.parametrize("damage", [lambda b: b[:50], lambda b: b[:-1] + bytes([b[-1] ^ 1])])
def test_a_damaged_head_is_fitted_anew(host, capsys, damage):
    settings = config.load({"router.examples": 2})
    open_router(settings, host)
    from assistant.router.opening import cache_dir

    path = head.path_for(cache_dir(), host)
    path.write_bytes(damage(path.read_bytes()))
    read = host.read
    open_router(settings, host)
    assert host.read > read
    assert "damaged" in capsys.readouterr().err
    open_router(settings, host)
    assert "fit" not in capsys.readouterr().err


def test_other_is_not_a_call():
    assert not Pattern.parse("other").calls


@pytest.mark.parametrize("question", ["x " * 3000 + "5 plus 6", "x" * 30_000 + " 5 plus 6"])
def test_a_very_long_question_is_refused_before_it_is_routed(fitted, question):
    read = fitted[0]._host.read
    routed = fitted[0].route(question)
    assert (routed.verdict, routed.calls) == ("unsure", ())
    assert "too long" in routed.reason
    assert fitted[0]._host.read == read


def test_a_long_list_is_not_a_long_question(fitted):
    routed = fitted[0].route("sum of " + ", ".join(map(str, range(1000))))
    assert "too long" not in routed.reason


def test_two_numbers_side_by_side_are_arguments_when_one_would_not_do(fitted):
    assert [str(c) for c in fitted[0].route("gcd 12 180").calls] in (["gcd(12, 180)"], [])
