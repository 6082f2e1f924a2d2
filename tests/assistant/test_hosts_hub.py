"""Fetching from a hub: only what is needed, resumed, checked, and every refusal in one line."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from assistant.hosts import checkpoint, fetch, loader, store, transfer
from tests.assistant.fake_hub import COMMIT, ENTRY, REPO
from vgpu.errors import RunError


def obtain(cache, **more):
    return fetch.obtain(cache, "tiny", ENTRY, 2, **more)


def shard_of(published, tensor):
    index = json.loads((published / checkpoint.INDEX).read_text())
    return index["weight_map"][tensor]


def refused(cache, match):
    with pytest.raises(RunError, match=match) as caught:
        obtain(cache)
    assert "\n" not in str(caught.value)
    assert store.load(cache, "tiny") is None


def test_only_the_language_model_is_fetched(hub, tmp_path, published):
    stored = obtain(tmp_path)
    stored.verify(full=True)
    assert stored.source == f"hub {REPO}@{COMMIT}"
    visual = set(json.loads((published / checkpoint.INDEX).read_text())["weight_map"].values())
    text = {file for file in stored.host_files if file.endswith(".safetensors")}
    assert text < visual
    asked = {path.rpartition("/")[2] for path, _ in hub.log}
    assert not asked & (visual - text)
    assert not asked & {"README.md", "pytorch_model.bin"}
    assert not store.work_folder(tmp_path, "tiny").exists()
    model = loader.load_model(stored.root, "Tiny", "bfloat16", "cpu")
    assert torch.isfinite(model(input_ids=torch.tensor([[5, 6, 7]])).logits).all()


def test_a_second_call_asks_nothing(hub, tmp_path):
    first = obtain(tmp_path)
    hub.log.clear()
    assert obtain(tmp_path).digest == first.digest
    assert hub.log == []


def test_a_cut_connection_is_gone_on_with(hub, tmp_path, shard):
    hub.faults[shard] = [("cut", 1000), 503, ("cut", 70_000)]
    obtain(tmp_path).verify(full=True)
    assert hub.fetched(shard) == [None, "bytes=1000-", "bytes=1000-", "bytes=71000-"]


def test_a_later_call_goes_on_where_the_first_was_cut(hub, tmp_path, shard):
    hub.faults[shard] = [("cut", 5000), *[("cut", 0)] * transfer.ATTEMPTS]
    refused(tmp_path, r"stops at 5,000 of [\d,]+ bytes .*run `assistant build` again")
    hub.log.clear()
    obtain(tmp_path).verify(full=True)
    assert hub.fetched(shard) == ["bytes=5000-"]
    assert not hub.fetched("tokenizer.json")


def test_a_proxy_that_cuts_the_download(hub, tmp_path, shard, monkeypatch):
    """The hub is reached through the proxy of the environment alone, which cuts what is long."""
    import huggingface_hub
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://hub.invalid")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, hub.url)
    huggingface_hub.close_session()
    hub.faults[shard] = [("cut", 40_000), *[("cut", 0)] * transfer.ATTEMPTS]
    refused(tmp_path, r"stops at 40,000 of [\d,]+ bytes .*run `assistant build` again")
    assert hub.proxied == len(hub.log)
    hub.log.clear()
    hub.faults[shard] = [("cut", 40_000)]
    obtain(tmp_path).verify(full=True)
    assert hub.fetched(shard) == ["bytes=40000-", "bytes=80000-"]


def test_a_server_without_ranges_sends_it_again(hub, tmp_path, shard):
    hub.faults[shard] = [("cut", 5000), "whole"]
    obtain(tmp_path).verify(full=True)


def test_a_connection_that_brings_nothing_is_made_again(hub, tmp_path, shard):
    hub.faults[shard] = ["stall"]
    obtain(tmp_path).verify(full=True)
    assert len(hub.fetched(shard)) == 2


def test_killed_while_it_fetches(hub, tmp_path, shard):
    """A process of its own, with the variables of huggingface_hub, killed with a file half here."""
    environment = os.environ | {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(tmp_path / "home"),
        "NO_PROXY": "127.0.0.1",
    }
    hub.faults[shard] = [("cut", 50_000), "hold"]
    script = (
        "import sys; from pathlib import Path; from assistant.hosts import fetch;"
        f"fetch.obtain(Path({str(tmp_path)!r}), 'tiny', {ENTRY!r}, 60)"
    )
    process = subprocess.Popen([sys.executable, "-c", script], env=environment)
    while not hub.held.wait(1):
        assert process.poll() is None, "it ended before it could be killed"
    process.kill()
    process.wait()
    hub.release.set()
    assert store.load(tmp_path, "tiny") is None
    hub.log.clear()
    obtain(tmp_path).verify(full=True)
    assert hub.fetched(shard) == ["bytes=50000-"]


def test_two_builds_at_once(hub, tmp_path, shard):
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: obtain(tmp_path), range(2))
    assert first == second
    first.verify(full=True)
    assert len(hub.fetched(shard)) == 1


@pytest.mark.parametrize("name", ["config.json", "shard"])
def test_a_wrong_hash_is_thrown_away(hub, tmp_path, shard, name):
    name = shard if name == "shard" else name
    hub.faults[name] = ["flip"]
    refused(tmp_path, f"{name} from .*its hash is .*expected .*run `assistant build` again")
    obtain(tmp_path).verify(full=True)


def test_a_page_of_a_proxy_is_not_taken_for_the_file(hub, tmp_path, shard):
    hub.faults[shard] = ["page"] * 9
    refused(tmp_path, "stops at 0 of .*does a proxy answer")
    hub.faults.clear()
    obtain(tmp_path).verify(full=True)


@pytest.mark.parametrize(
    ("refusal", "match"),
    [
        ((401, "GatedRepo"), f"gated: accept its terms at .*{REPO}.*hf auth login.*HF_TOKEN"),
        ((401, ""), r"refuses \(401\): it is private or gated: log in: .hf auth login"),
        ((403, ""), r"refuses \(403\): it is private or gated"),
        ((404, "RepoNotFound"), f"no {REPO} on the hub"),
        ((404, "RevisionNotFound"), f"{REPO} has no revision main"),
        ((500, ""), "answers 500"),
    ],
)
def test_refusals_say_what_to_do(hub, tmp_path, refusal, match):
    hub.refusal = refusal
    refused(tmp_path, match)
    hub.refusal = None
    obtain(tmp_path)


def test_a_file_that_is_gone(hub, tmp_path, shard):
    hub.faults[shard] = [404]
    refused(tmp_path, f"answers 404 for {shard}")


def test_a_proxy_that_answers_for_the_hub(hub, tmp_path):
    hub.pages = True
    refused(tmp_path, "answer is not the hub's|does not answer")


def test_no_network(hub, tmp_path):
    hub.close()
    refused(tmp_path, "the hub does not answer")


def test_a_token_is_sent(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    obtain(tmp_path)
    assert "Bearer hf_secret" in hub.tokens


def test_offline_without_a_copy(hub, tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    refused(tmp_path, "not in the hub's cache, and HF_HUB_OFFLINE is set")
    assert hub.log == []


def snapshot(published, tmp_path):
    """The hub's own cache with this repository in it, as huggingface_hub lays it out."""
    base = tmp_path / "hub" / "models--Org--Tiny"
    root = base / "snapshots" / COMMIT
    (base / "blobs").mkdir(parents=True)
    root.mkdir(parents=True)
    (base / "refs").mkdir()
    (base / "refs" / "main").write_text(COMMIT)
    for path in published.iterdir():
        blob = base / "blobs" / store.sha256(path)
        shutil.copyfile(path, blob)
        (root / path.name).symlink_to(blob)
    return root


def test_the_hubs_own_cache_is_used(hub, tmp_path, published, shard):
    root = snapshot(published, tmp_path)
    stored = obtain(tmp_path)
    stored.verify(full=True)
    assert hub.log == []
    loader.load_model(stored.root, "Tiny", "bfloat16", "cpu")
    # Out of reach of the pinned revision, the copy is better than nothing.
    hub.close()
    pinned = {"label": "Tiny", "hub": {"repo": REPO, "revision": "f" * 40}}
    assert fetch.obtain(tmp_path, "pinned", pinned, 2).source == stored.source
    damaged = (root / shard).resolve()
    data = bytearray(damaged.read_bytes())
    data[-1] ^= 1
    damaged.write_bytes(data)
    shutil.rmtree(stored.root)
    refused(tmp_path, "in the hub's cache is damaged")


def test_a_damaged_file_is_the_only_one_fetched_again(hub, tmp_path, shard):
    stored = obtain(tmp_path)
    data = bytearray((stored.root / shard).read_bytes())
    data[100_000] ^= 1
    (stored.root / shard).write_bytes(data)
    with pytest.raises(RunError, match=f"{shard} is damaged .*assistant build --host tiny"):
        stored.verify()
    hub.log.clear()
    again = fetch.repaired(tmp_path, "tiny", ENTRY, 2)
    assert again.digest == stored.digest
    fetched = {path.rpartition("/")[2] for path, _ in hub.log if path.startswith("/cdn/")}
    # The shortened index is no file of the hub's, so that one is always fetched.
    assert fetched == {shard, checkpoint.INDEX}


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"model_type": "qwen9"}, 'unknown architecture "qwen9".*pip install -U transformers'),
        ({"model_type": "vit"}, '"vit" is not a language model'),
    ],
)
def test_other_architectures_are_told_before_the_weights(hub, tmp_path, change, match):
    folder = tmp_path / "other"
    shutil.copytree(hub.folders[REPO], folder)
    (folder / "config.json").write_text(json.dumps(change))
    hub.folders = {REPO: folder}
    refused(tmp_path, match)
    assert not [path for path, _ in hub.log if path.endswith(".safetensors")]


def test_a_repository_without_safetensors(hub, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    for name in ("config.json", "pytorch_model.bin"):
        shutil.copyfile(hub.folders[REPO] / name, folder / name)
    hub.folders = {REPO: folder}
    refused(tmp_path, "has no model.safetensors .it has pytorch_model.bin.*choose")


def test_an_index_reaches_no_other_folder(hub, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(hub.folders[REPO], folder)
    index = {"weight_map": {"model.norm.weight": "../../x.safetensors"}}
    (folder / checkpoint.INDEX).write_text(json.dumps(index))
    hub.folders = {REPO: folder}
    refused(tmp_path, "not an index of safetensors files")


def test_a_disk_without_room_is_told_before(hub, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=100_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    refused(tmp_path, "too full: .* are needed and 0.1 MB are free: free some space")
    monkeypatch.undo()
