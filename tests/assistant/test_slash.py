"""The `/` commands, pasted kernels and completion, without a front end."""

import json
import threading

import pytest

import vgpu
from assistant import config
from assistant.answer import Answer, Computed
from assistant.conversations import open_store
from assistant.events import Done, Figure, Loading, Text
from assistant.router import Call, Routed
from assistant.slash import (
    COMMANDS,
    Changed,
    Copied,
    InputsNeeded,
    Left,
    Opened,
    Ran,
    Said,
    Session,
    Shown,
    Started,
    Work,
    complete,
    help_text,
    is_command,
    is_source,
    parse,
)
from vgpu.errors import Cancelled, InputError, RunError

SOURCE = """#include <stdio.h>
__global__ void add(const int *a, const int *b, int *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
"""
OPTIONS = "--block 2 --in a=1,2 --in b=3,4 --out out=2 --set n=2"
LOOP = "__global__ void forever(volatile int *out) { while (out[0] >= 0) out[0] = 1; }\n"


def called(kernel, *args):
    return Call(kernel, args, tuple(((0, 1),) for _ in args))


class Assistant:
    """Computes what it was told to; remembers what it was asked with."""

    def __init__(self, *events):
        self.events, self.asked = events, []
        self.machine = vgpu.Machine(engine="interpreter")

    def stream(self, question, cancelled, **leans):
        self.asked.append((question, leans))
        yield Loading("loading Fake")
        for event in self.events:
            if isinstance(event, Exception):
                raise event
            yield event


def computed(call, figure):
    return Computed(call, figure, None, 3, 3, 0.1, written=str(figure))


def answered(*calls):
    verdict = Routed("calls", tuple(c.call for c in calls), "fake", 1.0)
    return [*map(Figure, calls), Done(Answer("?", verdict, calls, "", "Fake", "interpreter"))]


def chatted(*pieces):
    verdict = Routed("chat", (), "fake", 1.0)
    return [
        *map(Text, pieces),
        Done(Answer("?", verdict, (), "".join(pieces), "Fake", "interpreter")),
    ]


@pytest.fixture
def session(tmp_path):
    options = {"engine": "interpreter"}
    session = Session(config.load(options), open_store(tmp_path / "c.db"), options)
    yield session
    session.store.close()


def perform(session, text, assistant=None, cancelled=None):
    outcome = session.take(text)
    assert isinstance(outcome, Work), outcome
    return list(outcome.steps(assistant or Assistant(), cancelled or threading.Event()))


def kept(session):
    return session.store.messages(session.conversation.id)


# ---- commands as data ----
def test_every_command_is_explained_and_parsed():
    names = [name for c in COMMANDS for name in (c.name, *c.aliases)]
    assert len(set(names)) == len(names)
    for command in COMMANDS:
        assert f"/{command.name}" in help_text()
        assert command.help in help_text(f"/{command.name}")
        assert hasattr(Session, f"_{command.name}")
        argument = " x" if command.needed else ""
        assert parse(f"/{command.name}{argument}").command is command


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/hlep", "unknown command /hlep; did you mean /help?"),
        ("/exp", "did you mean /export?"),
        ("/xyzzy", "/help lists them"),
        ("/run", "/run: expected /run FILE [OPTIONS]"),
        ("/new thing", "/new: takes nothing after it"),
        ("/mode basick", 'did you mean "basic"'),
        ("/kernels dott", 'no kernel "dott"; did you mean "dot"?'),
        ("/host smolm2-135m-instruct", 'did you mean "smollm2-135m-instruct"'),
        ("/list many", "expected a count"),
        ("/load nothing", 'no conversation "nothing"'),
        ("/load nothing.json", "there is no such file"),
        ("/export x.txt", "ends in .md or .json"),
        ("/trace", "nothing was run yet"),
        ("/copy", "no answer to copy yet"),
        ("/help xyzzy", "unknown command /xyzzy"),
        ("/run nothing.cu", "nothing.cu"),
        ("/run --in a=1", "expected the file first"),
        ("--in a=1", "no kernel waits for options"),
        ("  ", "the message is empty"),
    ],
)
def test_mistakes_are_told_with_the_mend(session, text, said):
    with pytest.raises(InputError) as error:
        session.take(text)
    assert said in str(error.value) and "\n" not in str(error.value)
    assert session.store.conversations() == []


@pytest.mark.parametrize(
    ("text", "yes"),
    [("/help", True), ("/?", True), ("Quit", True), ("/ 3", False), ("1/2", False), ("//x", False)],
)
def test_what_is_a_command(text, yes):
    assert is_command(text) is yes


def test_a_second_slash_asks_about_a_path(session):
    assistant = Assistant(*chatted("hm"))
    perform(session, "//usr/bin?", assistant)
    assert assistant.asked[0][0] == "/usr/bin?"


def test_simple_commands(session):
    assert isinstance(session.take("/quit"), Left)
    assert "/run FILE" in session.take("/?").text
    assert session.take("/mode").text.startswith("mode basic")
    assert isinstance(session.take("/mode basic"), Changed)
    assert "dot(a, b)" in session.take("/kernels").text
    assert "example: dot([1, 2, 3], [4, 5, 6])" in session.take("/kernels dot").text
    assert "* smollm2-135m-instruct" in session.take("/host").text
    assert session.take("/list").text == "no conversation is kept yet"


def test_another_host_keeps_the_other_options(session):
    changed = session.take("/host qwen3.5-2b")
    assert changed.host and changed.settings["host"] == "qwen3.5-2b"
    assert changed.settings["engine"] == "interpreter"
    assert session.settings is changed.settings
    assert "* qwen3.5-2b" in session.take("/host").text


# ---- answers ----
def test_an_answer_is_kept_as_it_comes(session):
    assistant = Assistant(*answered(computed(called("add", 2, 3), 5)))
    outcome = session.take("What is 2 + 3?")
    for event in outcome.steps(assistant, threading.Event()):
        if isinstance(event, Figure):
            assert kept(session)[-1].state == "streaming"
            assert "5" in kept(session)[-1].text
    asked, answer = kept(session)
    assert asked.text == "What is 2 + 3?" and answer.state == "done"
    assert answer.record["calls"][0]["kernel"] == "add"
    assert session.take("/copy") == Copied(answer.text)


@pytest.mark.parametrize(
    ("error", "state", "problem"),
    [
        (Cancelled("stopped"), "cancelled", ""),
        (RunError("no memory"), "failed", "no memory"),
        (ValueError("odd"), "failed", "ValueError: odd"),
    ],
)
def test_how_an_answer_ended_is_kept(session, error, state, problem):
    with pytest.raises(type(error)):
        perform(session, "hello", Assistant(Text("as far as this"), error))
    message = kept(session)[-1]
    assert (message.text, message.state, message.problem) == ("as far as this", state, problem)


def test_a_stopped_answer_and_one_that_nobody_waits_for(session):
    cancelled = threading.Event()
    steps = session.take("hello").steps(Assistant(*chatted("a", "b")), cancelled)
    with pytest.raises(Cancelled):
        for event in steps:
            if isinstance(event, Text):
                cancelled.set()
    steps = session.take("hello").steps(Assistant(*chatted("a", "b")), threading.Event())
    while not isinstance(next(steps), Text):
        pass
    steps.close()
    answers = kept(session)[1::2]
    assert [(m.text, m.state) for m in answers] == [("a", "cancelled")] * 2


def test_a_message_leans_on_what_was_said_before(session):
    first = Assistant(*answered(computed(called("add", 2, 3), 5)))
    perform(session, "2 + 3?", first)
    assert first.asked[0][1] == {"before": None, "history": []}
    perform(session, "thanks", Assistant(*chatted("You are welcome.")))
    store = session.store
    for each in (session, Session(session.settings, store)):
        if each is not session:
            each.resume(store.latest())
        assistant = Assistant(*chatted("15"))
        perform(each, "and times 3?", assistant)
        leans = assistant.asked[0][1]
        assert leans["before"].figure == "5" and leans["before"].call == called("add", 2, 3)
        assert leans["history"][2:4] == [
            {"role": "user", "content": "thanks"},
            {"role": "assistant", "content": "You are welcome."},
        ]
    session.take("/new")
    fresh = Assistant(*chatted("no"))
    perform(session, "and?", fresh)
    assert fresh.asked[0][1] == {"before": None, "history": []}


# ---- kernels ----
@pytest.mark.parametrize(
    ("text", "yes"),
    [
        (SOURCE, True),
        (f"// {OPTIONS}\n{SOURCE}", True),
        (f"/run {OPTIONS}\n{SOURCE}", True),
        (f"{OPTIONS}\n{SOURCE}", True),
        ('extern "C" __global__ void __launch_bounds__(32) k(int *a)\n{ }', True),
        (f"Explain this kernel:\n{SOURCE}", False),
        ("What does __global__ void k(int n) { } mean?", False),
        ("What does __global__ mean?", False),
        ("__global__ void k(int n);", False),
    ],
)
def test_what_is_a_pasted_kernel(text, yes):
    assert is_source(text) is yes


@pytest.mark.parametrize(
    "first", [OPTIONS, f"// {OPTIONS}", f"// run: {OPTIONS}", f"/run {OPTIONS}"]
)
def test_a_pasted_kernel_with_a_line_of_options_runs(session, first):
    *_, started, ran = perform(session, f"{first}\n{SOURCE}")
    assert isinstance(started, Started) and isinstance(ran, Ran)
    assert ran.text == "out = 4, 6"
    asked, answer = kept(session)
    assert SOURCE in asked.text and session.store.latest().title == "kernel add"
    assert answer.record["run"]["outputs"] == {"out": [4, 6]}
    assert answer.record["calls"][0]["passes"] > 0


def test_a_pasted_kernel_without_options_says_what_it_needs(session):
    with pytest.raises(InputsNeeded) as needed:
        perform(session, SOURCE)
    said = str(needed.value)
    for line in ("a: i32 numbers", "out: i32 numbers", "n: one i32", "--out out=4"):
        assert line in said
    assert kept(session)[-1].text == said
    # The example that it gives runs; so do others after it.
    assert perform(session, needed.value.example)[-1].text == "out = 2, 4, 6, 8"
    assert perform(session, OPTIONS)[-1].text == "out = 4, 6"
    session.take("/new")
    with pytest.raises(InputError, match="no kernel waits"):
        session.take(OPTIONS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--bock 2", 'unknown option --bock; did you mean "--block"'),
        ("--block", "--block: expected a value after it"),
        ("--block 2 --block 3", "--block is given twice"),
        ("--block x", '--block "x": expected N'),
        ("--in a=1 stray", '"stray": expected an option'),
        ("--max-passes 0", "--max-passes 0: expected a whole number"),
        ('--in "a=1', "a quote is not closed"),
    ],
)
def test_wrong_options(session, options, said):
    with pytest.raises(InputError) as error:
        session.take(f"{options}\n{SOURCE}")
    assert said in str(error.value)


def test_lines_of_messages_are_those_of_the_paste(session):
    with pytest.raises(InputError, match=r"pasted\.cu:4:"):
        perform(session, f"{OPTIONS}\n{SOURCE.replace('int i', 'itn i')}")
    assert kept(session)[-1].state == "failed"


def test_a_kernel_from_a_file(session, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my add.cu").write_text(SOURCE + "int main() { return 0; }\n")
    *_, ran = perform(session, f'/run "my add.cu" {OPTIONS}')
    assert ran.text == "out = 4, 6" and "add · grid 1 · block 2" in ran.footing
    assert ran.notes == ("note: only the kernel is run; the host part (main) is ignored",)
    assert kept(session)[0].text == f'/run "my add.cu" {OPTIONS}'


def test_a_run_can_be_stopped(session):
    cancelled = threading.Event()
    assistant = Assistant()
    steps = session.take(f"--out out=1\n{LOOP}").steps(assistant, cancelled)
    with pytest.raises(Cancelled):
        for event in steps:
            if isinstance(event, Started):
                threading.Timer(0.05, cancelled.set).start()
    assert kept(session)[-1].state == "cancelled"
    assert perform(session, f"{OPTIONS}\n{SOURCE}", assistant)[-1].text == "out = 4, 6"


# ---- traces ----
def test_the_trace_of_a_run_is_kept_exported_and_written(session, tmp_path):
    perform(session, f"{OPTIONS}\n{SOURCE}")
    said = perform(session, "/trace")
    assert isinstance(said[0], Said) and "1-add.jsonl" in said[0].text
    file = tmp_path / "t.jsonl"
    perform(session, f"/trace {file}")
    first = json.loads(file.read_text().splitlines()[0])
    assert first["kernel"] == "add" and first["engine"] == "interpreter"
    export = tmp_path / "c.json"
    assert session.take(f"/export {export}") == Shown(f"written: {export}")
    traces = json.loads(export.read_text())["messages"][1]["traces"]
    assert traces["1-add.jsonl"][0] == first
    with pytest.raises(InputError, match="is there already"):
        perform(session, f"/trace {file}")


def test_the_traces_of_an_answer_also_after_it_was_resumed(session, tmp_path):
    nested = called("sub", called("mul", 38, 26), 715)
    perform(session, "38 * 26 - 715", Assistant(*answered(computed(nested, 273))))
    session.resume(session.conversation)
    perform(session, f"/trace {tmp_path / 't.jsonl'}")
    assert kept(session)[1].traces == ("1-mul.jsonl", "2-sub.jsonl")
    assert (tmp_path / "t-2.jsonl").exists()


# ---- conversations ----
def test_conversations_by_command(session, tmp_path):
    perform(session, "hello there", Assistant(*chatted("hi")))
    first = session.conversation.id
    assert session.take("/rename Greetings").text == 'renamed to "Greetings"'
    assert "saved as" in session.take("/save Good morning").text
    assert isinstance(session.take("/new"), Opened)
    perform(session, "other things", Assistant(*chatted("yes")))
    assert "Good morning" in session.take("/list").text
    assert first in session.take("/search hello").text
    assert "nothing holds" in session.take("/search xyzzy").text
    opened = session.take("/load good")
    assert (opened.conversation.id, [m.text for m in opened.messages]) == (
        first, ["hello there", "hi"],
    )  # fmt: skip
    export = tmp_path / "c.json"
    session.take(f"/export {export}")
    session.take("/delete good morning")
    assert session.conversation.id != first
    assert [m.text for m in session.take(f"/load {export}").messages] == ["hello there", "hi"]


# ---- completion ----
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("/he", "/help "),
        ("/q", "/quit"),
        ("/resu", "/load "),
        ("/mode a", "advanced"),
        ("/host smol", "smollm2-135m-instruct"),
        ("/kernels isp", "isprime"),
        ("/help tr", "trace"),
        ("/run k", "kernels/"),
        ("/run kernels/", "kernels/add.cu"),
        ("/run kernels/a", "kernels/add.cu"),
        ("/run kernels/m", '"kernels/my add.cu"'),
        ("/run kernels/add.cu --b", "--block "),
        ("--in a=1 --o", "--out "),
        ("/load hel", None),
        ("/nothing x", ""),
        ("hello /m", ""),
        ("/run kernels/add.cu --in a", ""),
        ("/run nowhere/", ""),
    ],
)
def test_completion(session, tmp_path, monkeypatch, text, first):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels").mkdir()
    for name in ("add.cu", "my add.cu", "notes.txt", ".hidden.cu"):
        (tmp_path / "kernels" / name).write_text("")
    talk = session.store.start()
    session.store.say(talk.id, "hello")
    first = talk.id if first is None else first
    found = complete(text, session.settings, session.store)
    assert (found[0].text if found else "") == first
    for candidate in found:
        assert 0 <= candidate.start <= len(text)
        assert "notes" not in candidate.text and "hidden" not in candidate.text


def test_completed_commands_are_commands(session):
    for candidate in complete("/", session.settings, session.store):
        assert parse(candidate.text + "x" * candidate.text.endswith(" ")).command
