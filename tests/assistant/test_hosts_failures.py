"""What happens to a build: killed at random moments, a disk that is full, damage of any file, too
little memory. One line each, and the next call goes on."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from assistant import config
from assistant.cli import main
from assistant.hosts import fetch, host_of, memory, store
from assistant.hosts.stand_in import write_checkpoint
from vgpu.errors import RunError


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    write_checkpoint(folder, shard_bytes=200_000)
    return folder


@pytest.fixture
def no_router(monkeypatch):
    monkeypatch.setattr("assistant.router.opening.open_router", lambda *a, **k: None)


def opened(source):
    settings = config.load({"host": str(source)})
    name, entry = settings.host()
    return host_of(fetch.obtain(config.cache_dir(), name, entry, 1), entry, settings)


def build(source, capsys):
    """The exit status of `assistant build`, and the last line of what it says on stderr."""
    status = main(["build", "--host", str(source)])
    return status, capsys.readouterr().err.strip().rpartition("\n")[2]


def flip(path):
    """Another bit in the middle, in a file of its own: the old one may have a second name."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink()
    path.write_bytes(data)


def test_a_flipped_byte_in_any_file_is_reported_with_the_mend(source):
    host = opened(source)
    stored = host._stored
    assert {"config.json", store.MACHINE, store.HASHES, "tokenizer.json"} < set(stored.files)
    for name in stored.files:
        flip(stored.root / name)
        with pytest.raises(RunError) as caught:
            opened(source).load()
        assert f"{name} is damaged (wrong SHA-256): run `assistant build" in str(caught.value)
        flip(stored.root / name)
    opened(source).load()


def test_a_flipped_byte_of_the_manifest_is_never_believed(source):
    host = opened(source)
    host.load()
    cache, name, path = config.cache_dir(), host.name, host._root / store.MANIFEST
    good, whole = store.load(cache, name), path.read_bytes()
    for place in range(0, len(whole), 5):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert store.load(cache, name) in (None, good), place


def test_too_little_memory_is_told_before_anything_is_loaded(
    source, no_router, capsys, monkeypatch
):
    from transformers import AutoModelForCausalLM

    def loads(*_, **__):
        raise AssertionError("the weights were loaded")

    with monkeypatch.context() as small:
        small.setattr(memory, "available", lambda device="cpu": 50_000_000)
        small.setattr(AutoModelForCausalLM, "from_pretrained", loads)
        status, told = build(source, capsys)
    assert status == 1
    assert "needs 734.3 MB of memory and 50.0 MB are free: close other programs" in told
    assert build(source, capsys)[0] == 0


def test_an_unknown_architecture_and_a_retry(source, tmp_path, no_router, capsys):
    folder = tmp_path / "new"
    shutil.copytree(source, folder)
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"model_type": "qwen9"}))
    status, told = build(folder, capsys)
    assert status == 1
    assert 'unknown architecture "qwen9"' in told and "choose another host" in told
    (folder / "config.json").write_text(json.dumps(settings))
    assert build(folder, capsys)[0] == 0


def test_a_full_disk_costs_the_machine_time_and_nothing_else(tmp_path, monkeypatch):
    from safetensors import SafetensorError

    from vgpu import network
    from vgpu import store as machines
    from vgpu.geometry import Geometry

    def full(*_):
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr(network, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(machines, "save_file", full)
    small = Geometry(
        width=8, lanes=4, warps=1, registers=4, instructions=16, memory_bytes=64, hidden=256
    )
    assert network.network_for.__wrapped__(small).hidden == 256
    assert list(tmp_path.iterdir()) == []


def test_a_router_that_cannot_be_written(source, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("assistant.router.opening.open_router", full)
    status, told = build(source, capsys)
    assert status == 1 and "is full: free some space and run `assistant build` again" in told


FULL = """
import subprocess, sys
from pathlib import Path
from assistant import config
from assistant.hosts import fetch, store
from vgpu.errors import RunError

source, disk = sys.argv[1:]
name, entry = config.load({"host": source}).host()

def mount(*options):
    subprocess.run(["mount", "-t", "tmpfs", *options, "none", disk], check=True)

for size in (8, 800, 1200):
    mount("-o", f"size={size}k")
    try:
        fetch.obtain(Path(disk), name, entry, 1)
        print("went through")
    except RunError as error:
        print(error)
    assert store.load(Path(disk), name) is None
    mount("-o", "remount,size=9m")
    fetch.obtain(Path(disk), name, entry, 1).verify(full=True)
    subprocess.run(["umount", disk], check=True)
"""


def test_a_disk_that_is_really_full(source, tmp_path):
    """A file system in memory, smaller than what is written to it, then with room."""
    inside = ["unshare", "--user", "--map-root-user", "--mount"]
    disk = tmp_path / "disk"
    disk.mkdir()
    try:
        tried = [*inside, "mount", "-t", "tmpfs", "none", str(disk)]
        subprocess.run(tried, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs a mount name space")
    command = [*inside, sys.executable, "-c", FULL, str(source), str(disk)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    expected = f"the disk of {disk} is full: free some space and run `assistant build` again: "
    assert told == [expected + "it goes on where it stopped"] * 3


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
import torch
from assistant import config
from assistant.hosts import fetch, host_of, join, loader, store

source, folder, seed = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
settings = config.load({"host": source})
name, entry = settings.host()
torch.set_num_threads(1)
loader.import_class(Path(source))
FILES = {"open", "os.rename", "os.mkdir", "os.link", "os.remove", "os.rmdir", "shutil.copyfile"}

def build(cache):
    host_of(fetch.repaired(cache, name, entry, 1), entry, settings).check()

def child(cache, die_at=0):
    '''Builds in a process of its own, which kills itself at its `die_at`th use of a file.'''
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    done = []
    def watch(event, arguments):
        if event in FILES:
            done.append(event)
            if len(done) == die_at:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(watch)
    status = 1
    try:
        build(cache)
        os.write(writer, str(len(done)).encode())
        status = 0
    finally:
        os._exit(status)

began = time.perf_counter()
pid, reader = child(folder / "first")
assert os.waitpid(pid, 0)[1] == 0
took, uses = time.perf_counter() - began, int(os.read(reader, 99))
random.seed(seed)
cache, key, killed = folder / "second", join.key, 0
for turn in range(ROUNDS):
    if turn == ROUNDS // 2:  # from now on it replaces one that is there
        build(cache)
        join.key = lambda: "another"
    pid, reader = child(cache, random.randint(1, uses) if turn % 2 else 0)
    if not turn % 2:
        time.sleep(random.uniform(0, took))
        os.kill(pid, signal.SIGKILL)
    killed += os.waitpid(pid, 0)[1] != 0
    os.close(reader)
    with store.locked(cache, name):
        found = store.load(cache, name)
    if found is not None:
        found.verify(full=True)
    elif turn > ROUNDS // 2:
        raise SystemExit("the host that was there is gone")
    left = [path.name for path in (cache / "hosts").iterdir() if path.is_dir()]
    assert found is None or left == [name], left
build(cache)
found = store.load(cache, name)
found.verify(full=True)
assert found.machine == "another" and found.verdict is not None
print(killed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_at_random_moments_the_next_call_goes_on(source, tmp_path):
    """Half of the moments by the clock, half between two uses of files."""
    rounds, seed = os.environ.get("TEST_KILLS", "4"), os.urandom(2).hex()
    script = KILLED.replace("ROUNDS", rounds)
    command = [sys.executable, "-c", script, str(source), str(tmp_path), str(int(seed, 16))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"
    assert int(done.stdout.splitlines()[-1]) > 0
