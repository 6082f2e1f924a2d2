"""Conversations as Markdown and JSON, and back."""

import json

import pytest

from assistant.conversations import (
    export_json,
    export_markdown,
    import_json,
    open_store,
    write_export,
)
from vgpu.errors import InputError, RunError

RECORD = {
    "calls": [
        {"call": "add(2, 3)", "figure": 5, "problem": None, "passes": 16, "words": 16,
         "seconds": 0.25},
        {"call": "div(1, 0)", "figure": None, "problem": "division by zero", "passes": 9,
         "words": 9, "seconds": 0.0},
    ],
    "engine": "sparse",
    "host": "Fake",
}  # fmt: skip
TRACE = b'{"trace":"vgpu-trace-1"}\n{"pass":1,"words":["a|b"]}\n'


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "data" / "conversations.db")
    yield store
    store.close()


@pytest.fixture
def talk(store):
    talk = store.start(title="Sums | and\x1b[31m more", host="Fake", mode="basic")
    store.say(talk.id, "2 + 3, and 1 / 0?\x1b]0;owned\x07", mode="basic")
    reply = store.reply(talk.id, mode="basic")
    reply.done("5", RECORD)
    store.keep_trace(talk.id, 2, "1-add.jsonl", TRACE)
    store.say(talk.id, "__global__ void k(int *a) { /* ``` */ }")
    stopped = store.reply(talk.id)
    stopped.write("half")
    stopped.cancelled()
    store.say(talk.id, "and")
    store.reply(talk.id).failed("no such host")
    return talk


def test_markdown_has_words_calls_and_ends(store, talk):
    text = export_markdown(store, talk.id)
    assert text.startswith("# Sums | and")
    assert "| `add(2, 3)` | 5 | 16 | 16 | 0.25 |" in text
    assert "division by zero" in text
    assert "*computed in the network (sparse engine), chosen by Fake*" in text
    assert "traces: `1-add.jsonl`" in text
    assert "````cuda\n__global__" in text  # a longer fence than any in the source
    assert "half\n\n*stopped*" in text and "*failed: no such host*" in text
    assert "\x1b" not in text and "\x07" not in text


def test_the_interpreter_is_no_network(store):
    talk = store.start()
    store.say(talk.id, "2 + 3?")
    store.reply(talk.id).done("5", RECORD | {"engine": "interpreter"})
    assert "*computed by the interpreter, chosen by Fake*" in export_markdown(store, talk.id)


def test_json_and_back_is_the_same(store, talk):
    record = export_json(store, talk.id)
    assert record["messages"][1]["record"] == RECORD
    assert record["messages"][1]["traces"]["1-add.jsonl"][1] == {"pass": 1, "words": ["a|b"]}
    back = import_json(store, json.dumps(record), "x.json")
    assert back.id != talk.id and store.trace(back.id, 2, "1-add.jsonl") == TRACE
    again = export_json(store, back.id)
    times = ("id", "created", "updated")
    assert {k: v for k, v in again.items() if k not in (*times, "messages")} == {
        k: v for k, v in record.items() if k not in (*times, "messages")
    }
    bare = [[{**m, "created": ""} for m in r["messages"]] for r in (record, again)]
    assert bare[0] == bare[1]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{", "not valid JSON"),
        ("[]", "not an exported conversation"),
        ('{"format": "vgpu-conversation-1"}', "messages: expected a list"),
        (
            '{"format": "vgpu-conversation-1", "messages": [{"role": "root"}]}',
            r"messages\[0\]: role",
        ),
        (
            '{"format": "vgpu-conversation-1", "messages": [{"role": "user", "text": 3}]}',
            r"messages\[0\]: text",
        ),
        (
            '{"format": "vgpu-conversation-1", "messages": '
            '[{"role": "user", "text": "", "traces": {"a": 1}}]}',
            r"messages\[0\]: traces",
        ),
        ('{"format": "vgpu-conversation-1", "messages": [], "title": 3}', "title"),
    ],
)
def test_what_is_no_export_is_refused_whole(store, text, wrong):
    with pytest.raises(InputError, match=f"^x.json: .*{wrong}"):
        import_json(store, text, "x.json")
    assert store.conversations() == []


def test_files_are_named_by_the_title_and_not_written_over(store, talk, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_export(store, talk.id)
    assert path.name == "sums-and-31m-more.md" and path.read_text().startswith("# Sums")
    with pytest.raises(InputError, match="is there already"):
        write_export(store, talk.id)
    write_export(store, talk.id, path, force=True)
    whole = write_export(store, talk.id, tmp_path / "whole.json")
    assert json.loads(whole.read_text())["format"] == "vgpu-conversation-1"
    with pytest.raises(InputError, match=r"ends in .md or .json"):
        write_export(store, talk.id, tmp_path / "x.txt")
    with pytest.raises(RunError, match="cannot be written"):
        write_export(store, talk.id, tmp_path / "none" / "x.md")
