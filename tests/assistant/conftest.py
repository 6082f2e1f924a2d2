"""Fakes: a host that echoes, and a private cache for every test."""

from __future__ import annotations

import pytest

from assistant import config
from assistant.hosts import open_host
from vgpu.errors import VgpuError


class FakeHost:
    """Chat echoes."""

    name = "fake"
    label = "Fake"
    digest = "0123456789abcdef"
    source = "a test"

    def load(self):
        return None

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
