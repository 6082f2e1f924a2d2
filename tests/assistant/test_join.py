"""Host and machine as one folder: loaded as one model, joined again without touching the host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

import codegen
import vgpu
from assistant import config
from assistant.hosts import checkpoint, fetch, host_of, join, loader, store
from assistant.hosts.stand_in import write_checkpoint
from evals import bit_identity
from vgpu.errors import InputError, RunError
from vgpu.model import CompositeEngine, VGPUForCausalLM, compose

IDS = torch.tensor([[5, 9, 200, 17, 33, 2, 8, 100]])
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    write_checkpoint(folder, shard_bytes=100_000)
    return folder


def obtain(cache, source):
    name, entry = config.load().host(str(source))
    return fetch.obtain(cache, name, entry, 1)


def opened(cache, source):
    settings = config.load({"host": str(source)})
    return host_of(obtain(cache, source), settings.host()[1], settings)


@pytest.fixture
def joined(source, tmp_path):
    return obtain(tmp_path, source)


@pytest.fixture
def no_making(monkeypatch):
    def made(*_):
        raise AssertionError("the host was made anew")

    monkeypatch.setattr(fetch, "_make", made)


def inodes(stored):
    return {name: (stored.root / name).stat().st_ino for name in stored.host_files}


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.unlink()  # another file: the old one may have a second name
    path.write_bytes(data)


def as_it_was(stored):
    """Takes the machine out, and the manifest back to what earlier versions wrote."""
    root = stored.root
    for name in store.JOINED:
        (root / name).unlink()
    os.replace(root / store.HOST_SETTINGS, root / "config.json")
    files = {n: vars(r) for n, r in stored.files.items() if n not in store.JOINED}
    files["config.json"] = files.pop(store.HOST_SETTINGS)
    record = {"source": stored.source, "ask": stored.ask, "files": files}
    (root / store.MANIFEST).write_text(json.dumps(record))


def test_the_folder_is_one_model_for_transformers(joined) -> None:
    model = AutoModelForCausalLM.from_pretrained(joined.root)
    assert type(model) is VGPUForCausalLM and model.dtype == torch.bfloat16
    alone = loader.load_model(joined.root, "Tiny", "bfloat16", "cpu")
    assert torch.equal(model(input_ids=IDS).logits, alone(input_ids=IDS).logits)
    kernel = codegen.catalog()["add"]
    launch = kernel.bind([20, 22])
    machine = vgpu.Machine(CompositeEngine(model))
    assert machine.run(kernel.program(), launch.inputs, launch.outputs).outputs["out"] == [42]
    flip(joined.root / store.MACHINE)
    with pytest.raises(ValueError, match=r"machine\.safetensors is damaged"):
        VGPUForCausalLM.from_pretrained(joined.root)


def test_the_machine_sleeps_through_a_chat_and_wakes_for_words(source, tmp_path) -> None:
    host = opened(tmp_path, source)
    model, _ = host.load()
    before = "".join(host.chat(HELLO, 4))
    host.read(["two words"])
    assert model.machine.asleep and model.machine.embed.device.type == "meta"
    past = model(input_ids=IDS, machine_on_text=False).logits
    assert model.to("cpu").machine.asleep
    through = model(input_ids=IDS).logits
    assert not model.machine.asleep
    assert torch.equal(past, through)
    assert torch.equal(past, model.host(input_ids=IDS).logits)
    assert "".join(host.chat(HELLO, 4)) == before
    with pytest.raises(InputError, match="the machine inside already"):
        compose(model)


def test_the_texts_of_verify_go_through_the_folders_model(source, monkeypatch) -> None:
    monkeypatch.setattr(bit_identity, "texts", lambda: ["", "one", "and another, longer"])
    report = bit_identity.run(config.load({"host": str(source)}))
    assert (report.equal, report.texts, report.names) == (3, 3, [])


def test_what_is_saved_while_the_machine_sleeps_has_it(source, tmp_path) -> None:
    model, _ = opened(tmp_path / "cache", source).load()
    model.save_pretrained(tmp_path / "saved")
    again = VGPUForCausalLM.from_pretrained(tmp_path / "saved")
    assert again.config.host_weights == "inside"
    assert torch.equal(again(input_ids=IDS).logits, model(input_ids=IDS).logits)


def test_a_cache_of_an_earlier_version_is_joined_and_not_fetched(
    source, tmp_path, joined, no_making
) -> None:
    as_it_was(joined)
    old = store.load(tmp_path, joined.name)
    assert old.machine == "" and store.HOST_SETTINGS not in old.files
    assert old.digest == joined.digest, "what is fitted on the host would be fitted again"
    again = obtain(tmp_path, source)
    again.verify(full=True)
    assert (again.files.keys(), again.digest) == (joined.files.keys(), joined.digest)
    assert json.loads((again.root / "config.json").read_text())["model_type"] == "vgpu"
    opened(tmp_path, source).load()


def test_damaged_settings_of_an_earlier_version_are_not_joined(source, tmp_path, joined) -> None:
    as_it_was(joined)
    (joined.root / "config.json").write_text('{"model_type": "llama"}')
    obtain(tmp_path, source).verify(full=True)
    assert checkpoint.text_config(joined.root)["model_type"] == "qwen3_5_text"


def test_another_machine_replaces_the_old_and_nothing_else(
    source, tmp_path, joined, no_making, monkeypatch
) -> None:
    router = joined.root / store.ROUTER
    router.write_text("fitted")
    before = inodes(joined)
    monkeypatch.setattr(join, "key", lambda: "another")
    again = obtain(tmp_path, source)
    again.verify(full=True)
    assert (again.machine, again.digest) == ("another", joined.digest)
    assert inodes(again) == before and router.read_text() == "fitted"
    assert obtain(tmp_path, source) == again


def test_damage_to_the_host_is_still_found_after_a_join(
    source, tmp_path, joined, monkeypatch
) -> None:
    name = checkpoint.weight_files(joined.root)[0].name
    monkeypatch.setattr(store, "ALWAYS_HASHED", 0)
    monkeypatch.setattr(join, "key", lambda: "another")
    flip(joined.root / name)
    with pytest.raises(RunError, match=f"{name} is damaged .wrong SHA-256"):
        obtain(tmp_path, source).verify()
    (joined.root / name).unlink()
    monkeypatch.setattr(join, "key", lambda: "a third")
    with pytest.raises(RunError, match=f"{name} is missing"):
        obtain(tmp_path, source).verify()


@pytest.mark.parametrize("name", sorted(store.JOINED))
def test_a_flipped_byte_in_the_machines_part_leaves_the_host_alone(
    source, tmp_path, joined, no_making, name
) -> None:
    before = inodes(joined)
    flip(joined.root / name)
    with pytest.raises(RunError, match=f"{name} is damaged .wrong SHA-256.*assistant build"):
        opened(tmp_path, source).load()
    key, entry = config.load().host(str(source))
    fetch.repaired(tmp_path, key, entry, 1).verify(full=True)
    assert inodes(store.load(tmp_path, key)) == before


def test_two_at_once_join_once(source, tmp_path, joined, no_making, monkeypatch) -> None:
    monkeypatch.setattr(join, "key", lambda: "another")
    times, whole = [], join.join
    monkeypatch.setattr(join, "join", lambda draft: times.append(draft) or whole(draft))
    found = []
    both = [
        threading.Thread(target=lambda: found.append(obtain(tmp_path, source))) for _ in range(2)
    ]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len(times) == 1 and found[0] == found[1]
    found[0].verify(full=True)


KILLED = """
import os, signal, sys
from pathlib import Path
from assistant.hosts import join, store

cache, name, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
whole, done = os.replace, []

def counted(source, target):
    done.append(target)
    if moment == f"before {len(done)}":
        os.kill(os.getpid(), signal.SIGKILL)
    whole(source, target)

os.replace = counted
join.key = lambda: "another"
with store.locked(cache, name):
    join.join_again(cache, store.load(cache, name))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("moment", range(1, 5))
def test_killed_while_it_joins_the_next_call_does_it(
    source, tmp_path, joined, no_making, monkeypatch, moment
) -> None:
    """The renames: the machine's file, the manifest, the old folder aside, the new one in."""
    before = inodes(joined)
    command = [sys.executable, "-c", KILLED, str(tmp_path), joined.name, f"before {moment}"]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with store.locked(tmp_path, joined.name):
        found = store.load(tmp_path, joined.name)
    found.verify(full=True)
    monkeypatch.setattr(join, "key", lambda: "another")
    again = obtain(tmp_path, source)
    again.verify(full=True)
    assert again.machine == "another" and inodes(again) == before
    left = [path.name for path in Path(tmp_path / "hosts").iterdir() if path.is_dir()]
    assert left == [joined.name]
