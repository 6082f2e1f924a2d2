"""The file of conversations on a bad day: killed programs, full disks, damage, other versions."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from assistant.conversations import files, open_store, schema
from assistant.conversations.problems import cause_of

WRITER = """
import sys
from pathlib import Path
from assistant.conversations import open_store
store = open_store(Path(sys.argv[1]))
"""


def program(path, lines):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER + lines, str(path)], stdout=subprocess.PIPE, text=True
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "conversations.db"


def said(path, text="hello"):
    with closing(open_store(path)) as store:
        talk = store.start()
        store.say(talk.id, text)
        return talk


def test_a_killed_program_loses_nothing_that_was_written(path):
    writer = program(
        path,
        """
talk = store.start(); store.say(talk.id, "count"); reply = store.reply(talk.id)
print(talk.id, flush=True)
for n in range(10**9):
    reply.write(f"{n} "); print(n, flush=True)
""",
    )
    talk = writer.stdout.readline().strip()
    for _ in range(50):
        last = int(writer.stdout.readline())
    with closing(open_store(path)) as store:
        assert store.messages(talk)[-1].state == "streaming"  # it is alive
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        assert store.messages(talk)[-1].state == "interrupted"
    with closing(open_store(path)) as store:
        assert store.take_notices() == []
        message = store.messages(talk)[-1]
        words = message.text.split()
        assert words == [str(n) for n in range(len(words))] and len(words) > last
        assert message.state == "interrupted"
        store.say(talk, "and on")
        assert [m.number for m in store.messages(talk)] == [1, 2, 3]


def test_two_programs_write_one_conversation(path):
    talk = said(path)
    lines = f"""
for n in range(25):
    store.say("{talk.id}", "x"); r = store.reply("{talk.id}"); r.write("y"); r.done()
assert store.saved and not store.take_notices()
"""
    writers = [program(path, lines) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    with closing(open_store(path)) as store:
        messages = store.messages(talk.id)
        assert [m.number for m in messages] == list(range(1, 102))
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_full_disk_costs_nothing_that_was_said(path):
    store = open_store(path)
    talk = store.start()
    store.say(talk.id, "before")
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 4}")
    reply = store.reply(talk.id)
    for _ in range(400):
        reply.write("x" * 100)
    (notice,) = store.take_notices()
    assert notice.cause == "full" and "\n" not in str(notice) and "/save" in str(notice)
    assert not store.saved
    assert store.messages(talk.id)[-1].text == "x" * 40_000
    assert [hit.number for hit in store.search("before")] == [1]
    reply.write("end")
    # Now there is room again.
    assert store.save_again() and store.saved
    reply.done()
    store.rename(talk.id, "Afterwards")
    with closing(open_store(path)) as other:
        assert [m.text for m in other.messages(talk.id)] == ["before", "x" * 40_000 + "end"]
        assert other.get(talk.id).title == "Afterwards"


def test_a_folder_that_cannot_be_written_is_read(path, monkeypatch):
    talk = said(path)

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.os, "open", refused)
    store = open_store(path)
    (notice,) = store.take_notices()
    assert notice.cause == "read-only" and "memory only" in str(notice)
    assert [c.id for c in store.conversations()] == [talk.id]
    store.say(talk.id, "more")
    assert len(store.messages(talk.id)) == 2
    monkeypatch.undo()
    assert store.save_again()
    with closing(open_store(path)) as other:
        assert [m.text for m in other.messages(talk.id)] == ["hello", "more"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_folder_that_cannot_be_made(tmp_path):
    store = open_store(files.Path("/proc/nowhere/conversations.db"))
    assert len(store.take_notices()) == 1
    talk = store.start()
    store.say(talk.id, "hello")
    assert [m.text for m in store.messages(talk.id)] == ["hello"]
    assert not store.save_again()


@pytest.mark.parametrize("damage", ["header", "middle", "cut"])
def test_a_damaged_file_is_kept_and_a_new_one_begun(path, damage):
    with closing(open_store(path)) as store:
        talk = store.start()
        for _ in range(50):
            store.say(talk.id, "hello " * 100)
    content = path.read_bytes()
    spoilt = {
        "header": b"not a database" + content[14:],
        "middle": content[:4096] + os.urandom(8192) + content[12288:],
        "cut": content[: len(content) // 2 + 100],
    }[damage]
    path.write_bytes(spoilt)
    with closing(open_store(path)) as store:
        (notice,) = store.take_notices()
        assert notice.cause == "damaged" and "\n" not in str(notice)
        assert notice.kept.read_bytes()[:50_000] == spoilt[:50_000]
        assert notice.kept.name in str(notice) and ".recover" in str(notice)
        assert store.saved and store.conversations() == []
        fresh = store.start()
        store.say(fresh.id, "again")
    with closing(open_store(path)) as store:
        assert store.take_notices() == [] and store.latest().id == fresh.id


def test_damage_that_shows_in_the_middle_of_an_answer(path):
    store = open_store(path)
    talk = store.start()
    store.say(talk.id, "hello")
    reply = store.reply(talk.id)
    reply.write("one ")
    store._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store._db.execute("PRAGMA cache_size = 0")
    store._db.execute("PRAGMA shrink_memory")
    path.write_bytes(b"\x00" * path.stat().st_size)
    reply.write("two")
    reply.done()
    assert [n.cause for n in store.take_notices()] == ["damaged"]
    assert store.saved and [m.text for m in store.messages(talk.id)] == ["one two"]
    with closing(open_store(path)) as other:
        assert [m.text for m in other.messages(talk.id)] == ["one two"]


def test_a_file_of_a_newer_version_is_left_alone(path):
    said(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 99")
    content = path.read_bytes()
    store = open_store(path)
    (notice,) = store.take_notices()
    assert notice.cause == "newer" and "update vgpu-assistant" in str(notice)
    talk = store.start()
    store.say(talk.id, "hello")
    assert not store.save_again() and not store.saved
    assert len(store.messages(talk.id)) == 1
    assert path.read_bytes() == content


def test_an_older_file_is_brought_up_to_date(path, monkeypatch):
    talk = said(path)
    further = (*schema.MIGRATIONS, ("ALTER TABLE messages ADD COLUMN extra TEXT",))
    with closing(schema.connect(path)) as database:
        schema.migrate(database, further)
        assert database.execute("SELECT extra FROM messages").fetchall() == [(None,)]
        with pytest.raises(schema.NewerSchema):
            schema.migrate(database)
        assert database.execute("SELECT id FROM conversations").fetchall() == [(talk.id,)]


def test_a_migration_that_fails_changes_nothing(path):
    said(path)
    broken = (*schema.MIGRATIONS, ("CREATE TABLE new (a)", "no SQL at all"))
    with closing(schema.connect(path)) as database:
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(database, broken)
        assert database.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
        with pytest.raises(sqlite3.OperationalError):
            database.execute("SELECT * FROM new")


def test_another_program_that_holds_the_file(path, monkeypatch):
    monkeypatch.setattr(schema, "WAIT", 0.05)
    store = open_store(path)
    talk = store.start()
    store.say(talk.id, "one")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.say(talk.id, "two")
        (notice,) = store.take_notices()
        assert notice.cause == "busy"
    store.say(talk.id, "three")  # it is free again: all goes to the file
    assert store.saved
    with closing(open_store(path)) as again:
        assert [m.text for m in again.messages(talk.id)] == ["one", "two", "three"]


def test_the_file_is_its_owner_s(path):
    said(path)
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (sqlite3.OperationalError("database or disk is full"), "full"),
        (OSError(28, "No space left on device"), "full"),
        (OSError(30, "Read-only file system"), "read-only"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "read-only"),
        (sqlite3.DatabaseError("database disk image is malformed"), "damaged"),
        (sqlite3.OperationalError("database is locked"), "busy"),
        (sqlite3.OperationalError("disk I/O error"), "unreadable"),
    ],
)
def test_causes(error, cause):
    assert cause_of(error) == cause
