"""The `/` commands on answers of advanced mode: attempts, kernels kept by name, traces."""

import threading

import pytest

import vgpu
from assistant import config
from assistant.advanced.mode import AdvancedMode
from assistant.answer import Assistant
from assistant.conversations import export_json, export_markdown, open_store
from assistant.events import Done, Note, Tried
from assistant.slash import Changed, Ran, Said, Session, Shown, Work, complete
from tests.assistant.scripted import QUESTION, RENAMED, Scripted
from vgpu.errors import Cancelled, InputError

GOOD, SERIAL, BROKEN = RENAMED
OPTIONS = {"engine": "interpreter", "mode": "advanced", "advanced.attempts": 3}


@pytest.fixture(scope="module")
def machine():
    return vgpu.Machine(engine="interpreter")


@pytest.fixture
def session(tmp_path):
    session = Session(config.load(OPTIONS), open_store(tmp_path / "c.db"), OPTIONS)
    yield session
    session.store.close()


@pytest.fixture
def assistant_of(machine):
    def make(session, *texts):
        assistant = Assistant(session.settings, host=object(), machine=machine)
        writer = Scripted(*texts)
        assistant.advanced = AdvancedMode(session.settings, writer=writer, machine=machine)
        return assistant

    return make


def perform(session, text, assistant, cancelled=None):
    outcome = session.take(text)
    assert isinstance(outcome, Work), outcome
    return list(outcome.steps(assistant, cancelled or threading.Event()))


def kept(session):
    return session.store.messages(session.conversation.id)


@pytest.fixture(scope="module")
def events(machine):
    """Of one answer: a program that does not compile, then two that agree."""
    mode = AdvancedMode(
        config.load(OPTIONS), writer=Scripted(BROKEN, GOOD, SERIAL), machine=machine
    )
    return list(mode.stream(QUESTION))


@pytest.fixture
def answered(session, machine, events, monkeypatch):
    """A session with that answer."""
    assistant = Assistant(session.settings, host=object(), machine=machine)
    with monkeypatch.context() as patch:
        patch.setattr(assistant, "stream", lambda *_, **__: iter(events), raising=False)
        perform(session, QUESTION, assistant)
    return session, assistant


def test_an_answer_is_kept_with_its_attempts(answered, events):
    session, _ = answered
    assert isinstance(events[1], Note) and isinstance(events[-1], Done)
    answer = kept(session)[-1]
    assert (answer.text, answer.state, answer.mode) == ("3", "done", "advanced")
    assert [a["passed"] for a in answer.record["attempts"]] == [False, True, True]
    again = Session(session.settings, session.store)
    again.resume(session.conversation)
    assert "attempt 1: compile: kernel.cu:3" in again.take("/attempts").text


def test_attempts_are_listed_and_shown(answered):
    session, _ = answered
    listed = session.take("/attempts").text.splitlines()
    assert listed[0].startswith("attempt 1: compile: kernel.cu:3")
    assert listed[1].startswith("attempt 2: passed 6 checks · ") and "answer's" in listed[1]
    broken = session.take("/attempts 1").text.splitlines()
    assert broken[0].startswith("// --block 32 --in a:i32=14,31,8,27,40 --set n:i32=5")
    at = next(i for i, line in enumerate(broken) if "a[i] > x" in line)
    assert broken[at + 1].startswith("//") and "^ " in broken[at + 1] and "'x'" in broken[at + 1]
    assert ".entry" in session.take("/attempts 2 ptx").text
    assert "// kernel answer" in session.take("/attempts 2 asm").text
    for wrong, said in (("4", "there are 3"), ("1 asm", "did not compile"), ("2 x", "expected")):
        with pytest.raises(InputError, match=said):
            session.take(f"/attempts {wrong}")
    found = complete("/attempts 2 p", session.settings, session.store)
    assert [c.text for c in found] == ["ptx"]


def test_an_attempt_that_is_copied_and_changed_runs_on_the_same_data(answered):
    session, assistant = answered
    changed = session.take("/attempts 3").text.replace("> k", "> 30")
    ran = perform(session, changed, assistant)[-1]
    assert isinstance(ran, Ran) and ran.text == "out = 2"


def test_a_kernel_is_kept_by_name_and_called_in_basic_mode(answered):
    session, assistant = answered
    with pytest.raises(InputError, match="expected a name"):
        session.take("/save a title")
    assert "kernel kept" in session.take("/save more_than").text
    changed = session.take("/mode basic")
    assert isinstance(changed, Changed)
    assistant.config = changed.settings
    done = perform(session, "run more_than on [5, 6, 7, 8] with 6", assistant)[-1]
    assert done.answer.text == "2"
    assert kept(session)[-1].record["kept"] == "more_than"


def test_without_a_good_kernel_none_is_kept(session, assistant_of):
    done = perform(session, QUESTION, assistant_of(session, BROKEN))[-1]
    assert done.answer.figure is None and "no checked figure" in kept(session)[-1].text
    with pytest.raises(InputError, match="no program passed its checks"):
        session.take("/save bad")
    assert "no checked figure" in export_markdown(session.store, session.conversation.id)


def test_the_trace_of_the_last_program(answered):
    session, assistant = answered
    said = perform(session, "/trace", assistant)
    assert isinstance(said[0], Said) and "2-answer.jsonl" in said[0].text
    assert kept(session)[-1].traces == ("2-answer.jsonl",)


def test_what_was_tried_is_kept_when_it_is_stopped(session, assistant_of):
    stop, events = threading.Event(), []
    steps = session.take(QUESTION).steps(assistant_of(session, BROKEN), stop)
    with pytest.raises(Cancelled):
        for event in steps:
            events.append(event)
            if isinstance(event, Tried) and event.step == "done":
                stop.set()
    message = kept(session)[-1]
    assert message.state == "cancelled" and "attempt 1: compile" in message.text
    assert [a["number"] for a in message.record["attempts"]] == [1]
    assert session.take("/mode").text.startswith("mode advanced")


def test_exports_hold_the_programs(answered):
    session, _ = answered
    text = export_markdown(session.store, session.conversation.id)
    for part in ("### Attempt 1", "```cuda\n__global__ void answer", "kernel.cu:3", "the answer's"):
        assert part in text
    assert "written by Scripted" in text
    record = export_json(session.store, session.conversation.id)["messages"][-1]["record"]
    assert record["attempts"][1]["cuda"].startswith("__global__")


def test_without_attempts(session):
    with pytest.raises(InputError, match="/mode advanced"):
        session.take("/attempts")
    assert isinstance(session.take("/save A title"), Shown)
