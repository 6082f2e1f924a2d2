"""The cache of hosts: whole or absent, every file hashed, whatever moment it is killed at."""

import os
import shutil
import signal
import subprocess
import sys
import threading

import pytest

from assistant.hosts import store
from vgpu.errors import RunError


def make(cache, name="h", text="weights"):
    with store.locked(cache, name), store.writing(cache, name) as draft:
        (draft / "model").write_text(text)
        store.write_manifest(draft, name, "a test")
    return store.load(cache, name)


def listing(cache):
    return sorted(path.name for path in (cache / "hosts").iterdir() if path.is_dir())


def test_what_is_written_is_found_and_verified(tmp_path):
    stored = make(tmp_path)
    stored.verify()
    assert (stored.source, stored.size) == ("a test", 7)
    assert listing(tmp_path) == ["h"]


def test_a_write_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), store.writing(tmp_path, "h") as draft:
        (draft / "model").write_text("half")
        raise KeyboardInterrupt
    assert store.load(tmp_path, "h") is None
    assert listing(tmp_path) == []


def test_a_second_write_replaces_the_first(tmp_path):
    first = make(tmp_path)
    second = make(tmp_path, text="other weights")
    assert first.digest != second.digest
    assert (second.root / "model").read_text() == "other weights"
    assert listing(tmp_path) == ["h"]


def test_a_flipped_byte_is_reported_with_the_mend(tmp_path):
    stored = make(tmp_path)
    (stored.root / "model").write_text("weightz")
    with pytest.raises(RunError, match="wrong SHA-256.*assistant build --host h"):
        stored.verify()
    (stored.root / "model").write_text("weight")
    with pytest.raises(RunError, match="wrong size.*assistant build --host h"):
        stored.check()
    (stored.root / "model").unlink()
    with pytest.raises(RunError, match="missing.*assistant build --host h"):
        stored.check()


def test_a_broken_manifest_counts_as_absent(tmp_path):
    make(tmp_path)
    for text in ("{", "[]", '{"files": {"model": 3}, "source": "x"}', "\xff"):
        (store.folder(tmp_path, "h") / store.MANIFEST).write_text(text)
        assert store.load(tmp_path, "h") is None


def test_large_files_are_hashed_when_their_time_changes(tmp_path, monkeypatch):
    stored = make(tmp_path)
    monkeypatch.setattr(store, "ALWAYS_HASHED", 3)
    hashed = []
    whole = store.sha256
    monkeypatch.setattr(store, "sha256", lambda path: hashed.append(path.name) or whole(path))
    stored.verify()
    assert hashed == []
    stored.verify(full=True)
    os.utime(stored.root / "model", ns=(1, 1))
    stored.verify()
    assert hashed == ["model", "model"]
    store.load(tmp_path, "h").verify()
    assert hashed == ["model", "model"], "the new time was not kept"
    (stored.root / "model").write_text("weightz")
    with pytest.raises(RunError, match="wrong SHA-256"):
        store.load(tmp_path, "h").verify()


def test_one_process_at_a_time(tmp_path, capsys):
    order = []

    def second():
        with store.locked(tmp_path, "h"):
            order.append("second")

    with store.locked(tmp_path, "h"):
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(0.1)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]
    assert "another process is making h" in capsys.readouterr().err


KILLED = """
import os, signal, sys
from pathlib import Path
from assistant.hosts import store

cache, moment = Path(sys.argv[1]), sys.argv[2]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

whole = os.replace
swaps = []

def counted(source, target):
    # The first rename is the manifest's; then the old folder goes aside and the new one comes.
    swaps.append(source)
    if moment == f"swap {len(swaps)}":
        die()
    whole(source, target)
    if moment == f"after swap {len(swaps)}":
        die()

os.replace = counted
with store.locked(cache, "h"), store.writing(cache, "h") as draft:
    (draft / "model").write_text("new")
    if moment == "half":
        die()
    store.write_manifest(draft, "h", "a test")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize(
    ("moment", "found"),
    [
        ("half", "old"),
        ("swap 1", "old"),
        ("after swap 1", "old"),
        ("swap 2", "old"),
        ("after swap 2", "new"),
        ("after swap 3", "new"),
    ],
)
def test_killed_at_any_moment_the_old_host_or_the_new_is_whole(tmp_path, moment, found):
    make(tmp_path, text="old")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), moment], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    with store.locked(tmp_path, "h"):
        stored = store.load(tmp_path, "h")
    stored.verify(full=True)
    assert (stored.root / "model").read_text() == found
    # And the next call works.
    make(tmp_path, text="next").verify(full=True)
    assert listing(tmp_path) == ["h"]
    shutil.rmtree(tmp_path / "hosts")
