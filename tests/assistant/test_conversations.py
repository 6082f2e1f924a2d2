"""Conversations: kept as they are written, found again, renamed, deleted."""

import threading

import pytest

from assistant.conversations import open_store, search
from vgpu.errors import InputError


@pytest.fixture
def store(tmp_path):
    store = open_store(tmp_path / "conversations.db")
    yield store
    store.close()


def talk_of(store, *texts, **about):
    talk = store.start(**about)
    for text in texts:
        store.say(talk.id, text)
    return store.get(talk.id)


def again(store):
    return open_store(store.path)


def test_what_was_said_is_there_in_order(store):
    talk = store.start(host="Fake", mode="basic")
    store.say(talk.id, "What is 2 + 3?", mode="basic")
    reply = store.reply(talk.id, mode="basic")
    reply.write("5")
    record = {"figures": [5], "calls": [{"call": "add(2, 3)"}]}
    reply.done("five: 5", record)
    asked, answer = again(store).messages(talk.id)
    assert (asked.number, asked.role, asked.text) == (1, "user", "What is 2 + 3?")
    assert (answer.role, answer.text, answer.state, answer.mode) == (
        "assistant", "five: 5", "done", "basic",
    )  # fmt: skip
    assert answer.record == record
    kept = again(store).get(talk.id)
    assert (kept.title, kept.host, kept.mode, kept.messages) == (
        "What is 2 + 3?", "Fake", "basic", 2,
    )  # fmt: skip


def test_an_answer_is_readable_while_it_is_written(store):
    talk = talk_of(store, "hello")
    reply = store.reply(talk.id)
    for count in range(1, 4):
        reply.write("word ")
        message = again(store).messages(talk.id)[-1]
        assert message.text == "word " * count
        assert message.state == "streaming"


@pytest.mark.parametrize("ending", ["cancelled", "failed"])
def test_what_an_ended_answer_said_is_kept(store, ending):
    talk = talk_of(store, "hello")
    reply = store.reply(talk.id)
    reply.write("as far as ")
    reply.write("this")
    getattr(reply, ending)(*(["no memory"] if ending == "failed" else []))
    reply.write("never")
    reply.done("never")
    message = again(store).messages(talk.id)[-1]
    assert (message.text, message.state) == ("as far as this", ending)
    assert message.problem == ("no memory" if ending == "failed" else "")


def test_a_conversation_is_listed_from_its_first_message_on(store):
    talk = store.start()
    assert store.conversations() == [] and store.latest() is None
    assert store.get(talk.id) == talk
    store.say(talk.id, "hello")
    assert [c.id for c in store.conversations()] == [talk.id]


def test_the_latest_is_the_one_written_last(store):
    first, second = talk_of(store, "one"), talk_of(store, "two")
    assert store.latest().id == second.id
    store.say(first.id, "one again")
    assert [c.id for c in store.conversations()] == [first.id, second.id]
    assert [c.id for c in store.conversations(1)] == [first.id]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n  What   is\t2?\nand more", "What is 2?"),
        ("x" * 80, "x" * 59 + "…"),
        ("#include <a>\n__global__ void saxpy(int n) { }", "kernel saxpy"),
        ("__global__ void __launch_bounds__(32) k(int n) { }", "kernel k"),
    ],
)
def test_the_first_message_gives_the_title(store, text, title):
    assert talk_of(store, text, "something else").title == title


def test_a_person_s_title_stays(store):
    talk = store.start()
    assert store.rename(talk.id, " My\n own ").title == "My own"
    store.say(talk.id, "something else")
    assert again(store).get(talk.id).title == "My own"
    with pytest.raises(InputError, match="needs a title"):
        store.rename(talk.id, "  ")


def test_deleting_takes_all_of_it(store):
    talk, other = talk_of(store, "a needle"), talk_of(store, "a needle too")
    store.keep_trace(talk.id, 1, "t.jsonl", b"{}\n")
    assert len(store.search("needle")) == 2
    store.delete(talk.id)
    assert [c.id for c in store.conversations()] == [other.id]
    assert store.messages(talk.id) == []
    assert [hit.conversation.id for hit in store.search("needle")] == [other.id]
    with pytest.raises(InputError, match="no conversation"):
        store.delete(talk.id)


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("dot product", [1]),
        ("PRODUCT", [1]),
        ("oduc", [1]),
        ("product dot", [1]),
        ("ÄRGER", [2]),
        ("är", [2]),
        ("100%", [3]),
        ("a_b", [3]),
        ("axb", []),
        ('"', [4]),
        ("' OR 1", []),
        ("NEAR(", []),
        ("", []),
    ],
)
def test_search_finds_parts_of_words(store, monkeypatch, index, query, found):
    if not index:
        monkeypatch.setattr(search, "update", lambda db: None)
        monkeypatch.setattr(search, "_GROUP", 10_000)
    talk = store.start()
    for text in ("the Dot Product", "Großer Ärger", "100% of a_b", 'he said "no"'):
        store.say(talk.id, text)
    assert [hit.number for hit in store.search(query)] == found


def test_search_sees_what_was_written_since_and_titles(store):
    talk = talk_of(store, "one needle")
    assert len(store.search("needle")) == 1
    reply = store.reply(talk.id)
    reply.done("another needle")
    assert [hit.number for hit in store.search("needle")] == [2, 1]
    store.rename(talk.id, "Haystack")
    (hit,) = store.search("hayst")
    assert (hit.conversation.id, hit.number, hit.excerpt) == (talk.id, 0, "Haystack")


def test_an_excerpt_is_one_short_line_around_the_word():
    text = "x " * 100 + "\nneedle\n" + "y " * 100
    line = search.excerpt(text, ["needle"])
    assert "needle" in line and "\n" not in line and len(line) < 80
    assert line.startswith("…") and line.endswith("…")


def test_finding_by_id_title_and_their_beginnings(store):
    talk, other = talk_of(store, "Primes below ten"), talk_of(store, "Primes above ten")
    for words in (talk.id, talk.id.upper(), "primes BELOW ten", "primes b", " Primes  below "):
        assert store.find(words).id == talk.id
    with pytest.raises(InputError, match="names 2 conversations"):
        store.find("primes")
    with pytest.raises(InputError, match='did you mean "Primes above ten"'):
        store.find("Prime above tn")
    assert other.id != talk.id


def test_traces_are_kept_with_their_message(store):
    talk = talk_of(store, "a")
    data = b'{"pass":1}\n' * 1000
    store.keep_trace(talk.id, 1, "1-add.jsonl", data)
    assert again(store).messages(talk.id)[0].traces == ("1-add.jsonl",)
    assert again(store).trace(talk.id, 1, "1-add.jsonl") == data
    with pytest.raises(InputError, match="has no message 9"):
        store.keep_trace(talk.id, 9, "x", b"")
    with pytest.raises(InputError, match="has no trace"):
        store.trace(talk.id, 1, "x")


def test_half_characters_do_not_break_the_file(store):
    talk = talk_of(store, "half \udcff of it")
    assert store.messages(talk.id)[0].text == "half ? of it"


def test_threads_may_write_at_once(store):
    talk = talk_of(store, "hello")

    def write(name):
        for _ in range(20):
            store.say(talk.id, name)
            store.messages(talk.id)

    threads = [threading.Thread(target=write, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [m.number for m in store.messages(talk.id)] == list(range(1, 82))


def test_one_conversation_deleted_elsewhere_while_it_is_answered(store):
    talk = talk_of(store, "hello")
    reply = store.reply(talk.id)
    reply.write("what was ")
    again(store).delete(talk.id)
    reply.write("said")
    reply.done()
    assert [m.text for m in again(store).messages(talk.id)] == ["what was said"]


def test_what_was_deleted_is_not_brought_back_by_what_is_on_its_way(store):
    talk = talk_of(store, "hello")
    reply = store.reply(talk.id)
    reply.write("he")
    store.delete(talk.id)
    for late in (
        lambda: reply.write("llo"),
        lambda: reply.done("hello"),
        lambda: store.say(talk.id, "once more"),
        lambda: store.keep_trace(talk.id, 2, "1.jsonl", b"{}"),
    ):
        with pytest.raises(InputError, match="deleted"):
            late()
    assert again(store).conversations() == []
