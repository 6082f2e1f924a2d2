"""Fakes: a host whose "hidden states" count words, and a private cache for every test."""

from __future__ import annotations

import zlib

import pytest

from assistant import config

WIDTH = 512


class FakeHost:
    """Features are hashed counts of words and word pairs; chat echoes."""

    name = "fake"
    label = "Fake"
    digest = "0123456789abcdef"
    source = "a test"
    router_layers = (1,)

    def __init__(self):
        self.read = 0

    def load(self):
        return None

    def features(self, texts, progress=None):
        import torch

        self.read += len(texts)
        rows = torch.zeros(len(texts), WIDTH)
        for row, text in zip(rows, texts, strict=True):
            words = ["<", *text.lower().replace("?", " ?").split(), ">"]
            for gram in [*words, *map(" ".join, zip(words, words[1:], strict=False))]:
                row[zlib.crc32(gram.encode()) % WIDTH] += 1 / len(words)
        return rows

    def chat(self, messages, max_tokens):
        yield "you said: "
        yield messages[-1]["content"]


@pytest.fixture(scope="session")
def fake_host():
    return FakeHost


@pytest.fixture
def host():
    return FakeHost()


@pytest.fixture(autouse=True)
def private_folders(tmp_path, monkeypatch, request):
    """No test reads the person's settings; only tests of the real host use the real cache."""
    monkeypatch.setattr(config, "user_file", lambda: tmp_path / "settings" / "config.yaml")
    monkeypatch.setattr(config, "data_dir", lambda: tmp_path / "data")
    if "real_host" not in request.fixturenames:
        for module in ("assistant.config", "assistant.hosts.model", "assistant.router.opening"):
            monkeypatch.setattr(f"{module}.cache_dir", lambda: tmp_path / "cache")
