"""The worker thread by itself: what it does when, with an assistant of the test's own."""

import threading
import time
from types import SimpleNamespace

import pytest

from assistant.app.talk import Ended, Failed, Opened, Opening, Stopped, Talk
from vgpu.errors import RunError


@pytest.fixture
def talking():
    """Starts a Talk and stops it."""
    started = []

    def start(opener):
        talk = Talk(opener)
        started.append(talk)
        talk.start()
        return talk

    yield start
    for talk in started:
        talk.stop()
        talk._thread.join(60)


def happened(talk, kind):
    """What happened up to the first event of that kind."""
    events = []
    while not events or not isinstance(events[-1], kind):
        events.append(talk.events.get(timeout=60)[1])
    return events


def test_the_rest_of_the_host_is_read_while_nobody_waits(talking):
    done, loads = threading.Event(), []
    host = SimpleNamespace(label="A host", load=lambda: (loads.append(1), done.set()))
    talk = talking(lambda _publish: SimpleNamespace(host=host))
    happened(talk, Opened)
    assert done.wait(60)
    talk.add("one", lambda *_: iter(()))
    happened(talk, Ended)
    talk.add("two", lambda *_: iter(()))
    happened(talk, Ended)
    assert loads == [1]


def test_a_question_that_waits_comes_first(talking):
    order, may_open, read = [], threading.Event(), threading.Event()
    host = SimpleNamespace(label="A host", load=lambda: (order.append("rest"), read.set()))

    def opener(_publish):
        assert may_open.wait(60)
        return SimpleNamespace(host=host)

    talk = talking(opener)
    talk.add("one", lambda *_: iter([order.append("answer")]))
    may_open.set()
    assert read.wait(60)
    assert order == ["answer", "rest"]


@pytest.mark.parametrize("error", [RunError("no memory left"), MemoryError(), OSError("gone")])
def test_what_fails_there_is_told_by_the_turn_that_needs_it(talking, error):
    tried = threading.Event()

    def load():
        tried.set()
        raise error

    talk = talking(lambda _publish: SimpleNamespace(host=SimpleNamespace(label="H", load=load)))
    assert tried.wait(60)
    talk.add("one", lambda *_: iter(()))
    assert not any(isinstance(event, Failed) for event in happened(talk, Ended))


def test_a_question_whose_turn_never_comes_is_told_so(talking):
    """By a failure or by the person; one that began keeps itself."""
    told, may_open, kinds = [], threading.Event(), iter([RunError("no host"), None, None])

    def opener(_publish):
        assert may_open.wait(60)
        if error := next(kinds):
            raise error
        return SimpleNamespace(host=SimpleNamespace(label="H", load=lambda: None))

    talk = talking(opener)
    for name in "ab":
        talk.add(name, lambda *_: iter(()), lambda problem, name=name: told.append((name, problem)))
    talk._pending[1].cancelled.set()
    may_open.set()
    happened(talk, Failed)
    happened(talk, Stopped)
    assert told == [("b", "")]
    talk.add("c", lambda *_: iter([1 / 0]), told.append)
    happened(talk, Failed)
    assert told == [("b", "")]


def test_a_question_for_which_nothing_can_be_opened_is_told_so(talking):
    def opener(_publish):
        raise RunError("no host")

    told = []
    talk = talking(opener)
    happened(talk, Failed)
    talk.add("a", lambda *_: iter(()), told.append)
    happened(talk, Failed)
    assert told == ["no host"]


def test_what_the_app_itself_has_to_do_is_not_stopped_with_the_questions(talking):
    """/mode or /host, waiting behind an answer, then /new or Ctrl-C."""
    began, release, done = threading.Event(), threading.Event(), []

    def answer(_assistant, _cancelled):
        began.set()
        assert release.wait(60)
        yield "answer"

    def own(*_):
        done.append("own")
        yield from ()

    talk = talking(lambda _publish: SimpleNamespace(host=None))
    talk.add("one", answer)
    assert began.wait(60)
    talk.add("", own)
    talk.add("two", lambda *_: iter([done.append("two")]))
    talk.cancel_waiting()
    assert talk.cancel() and not talk.cancel()
    talk.cancel_all()
    release.set()
    happened(talk, Ended)
    assert done == ["own"]


def test_what_has_not_begun_when_the_app_is_left_is_told_so_once():
    opening, told = threading.Event(), []

    def opener(_publish):
        assert opening.wait(60)
        return SimpleNamespace(host=None)

    talk = Talk(opener)
    talk.start()
    talk.add("one", lambda *_: iter(()), told.append)
    talk.stop()
    talk.settle(0.01)
    assert told == [""]
    opening.set()
    talk._thread.join(60)
    assert told == [""] and not talk._thread.is_alive()


def test_an_opening_that_fails_ends_where_it_is_told_of(talking):
    """Also the second one, which a question brings about."""

    def opener(publish):
        publish(Opening("finding it"))
        raise RunError("no host")

    talk = talking(opener)
    talk.add("one", lambda *_: iter(()))
    found = []
    while len(found) < 7:
        found.append(talk.events.get(timeout=60))
    openings = [event for turn, event in found if turn == "" and isinstance(event, Failed)]
    assert len(openings) == 2 and found[-1] == ("one", Failed("no host"))


class Slow(list):
    """Jobs that wait, which take their time to go."""

    def remove(self, job):
        time.sleep(0.3)
        super().remove(job)


@pytest.mark.parametrize("work", [lambda *_: iter(()), lambda *_: iter([1 / 0])])
def test_whoever_sees_the_end_of_a_job_finds_nothing_busy(talking, work):
    host = SimpleNamespace(label="H", load=lambda: None)
    talk = talking(lambda _publish: SimpleNamespace(host=host))
    talk._pending = Slow()
    talk.add("one", work)
    happened(talk, (Ended, Failed))
    assert not talk.busy
