"""Fakes: a host that echoes, a hub, and a private cache for every test."""

from __future__ import annotations

import json

import pytest

from assistant import config
from assistant.hosts import open_host
from tests.assistant.fake_hub import REPO, FakeHub
from vgpu.errors import VgpuError


class FakeHost:
    """Chat echoes."""

    name = "fake"
    label = "Fake"
    digest = "0123456789abcdef"
    source = "a test"

    def open(self):
        return None

    load = open

    def chat(self, messages, max_tokens):
        yield "you said: "
        yield messages[-1]["content"]


@pytest.fixture(scope="session")
def fake_host():
    return FakeHost


@pytest.fixture
def host():
    return FakeHost()


@pytest.fixture(scope="session")
def real_host():
    """The default host itself; tests of it are skipped where it cannot be had."""
    try:
        return open_host(config.load())
    except VgpuError as error:
        pytest.skip(f"needs the default host: {error}")


@pytest.fixture(autouse=True)
def private_folders(tmp_path, monkeypatch, request):
    """No test reads the person's settings; only tests of the real host use the real cache."""
    monkeypatch.setattr(config, "user_file", lambda: tmp_path / "settings" / "config.yaml")
    monkeypatch.setattr(config, "data_dir", lambda: tmp_path / "data")
    if "real_host" not in request.fixturenames:
        for module in ("assistant.config", "assistant.hosts.model", "assistant.router.opening"):
            monkeypatch.setattr(f"{module}.cache_dir", lambda: tmp_path / "cache")


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """A sharded multimodal checkpoint whose first shard holds nothing of the language model."""
    from assistant.hosts.stand_in import write_checkpoint

    folder = tmp_path_factory.mktemp("published")
    write_checkpoint(folder, shard_bytes=200_000)
    (folder / "README.md").write_text("not needed")
    (folder / "pytorch_model.bin").write_bytes(b"not needed")
    return folder


@pytest.fixture
def hub(published, tmp_path, monkeypatch):
    import huggingface_hub
    from huggingface_hub import constants

    from assistant.hosts import transfer

    server = FakeHub({REPO: published})
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(constants, "ENDPOINT", server.url)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(transfer, "PAUSE_S", 0.0)
    monkeypatch.setattr(transfer, "STALL_S", 0.3)
    huggingface_hub.close_session()
    yield server
    server.close()


@pytest.fixture
def shard(published):
    """The file of `published` that the download begins to be long with."""
    index = json.loads((published / "model.safetensors.index.json").read_text())
    return index["weight_map"]["model.language_model.embed_tokens.weight"]
