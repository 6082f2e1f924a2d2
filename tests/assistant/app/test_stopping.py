"""Ctrl-C while a host is fetched for the first time: it ends, and the next time goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

from assistant.app.app import AssistantApp
from assistant.app.talk import Opening
from assistant.hosts import fetch, store, wheels
from assistant.stopping import check, stoppable
from tests.assistant.fake_hub import ENTRY, REPO
from vgpu.errors import Cancelled

from .conftest import FakeAssistant, ask, screen_text, until

PART = 50_000  # bytes that come before the connection holds


def test_in_the_app(kept, hub, shard, tmp_path):
    def openers(settings, traces):
        def open_all(publish):
            publish(Opening("finding tiny"))
            fetch.obtain(tmp_path, "tiny", ENTRY, 2)
            kept.assistant = FakeAssistant(kept.machine, settings)
            return kept.assistant

        return open_all

    hub.faults[shard] = ["trickle"]

    async def steps(pilot):
        chat = pilot.app.chat
        await until(pilot, hub.held.is_set)
        await until(pilot, lambda: "loading, ^C stops" in screen_text(pilot.app))
        chat.prompt.put("say too early")
        await pilot.press("enter", "ctrl+c")
        await until(pilot, lambda: not chat.talk.busy and not chat.loading_line.open)
        for words in ("the next question goes on", "not loaded"):
            await until(pilot, lambda words=words: words in screen_text(pilot.app))
        said = kept.store.messages(kept.session.conversation.id)
        assert [(m.role, m.state) for m in said] == [("user", "done"), ("assistant", "cancelled")]
        assert said[0].text == "say too early"
        assert chat.conversation.records[0].done and store.load(tmp_path, "tiny") is None
        hub.log.clear()
        await ask(pilot, "say it goes on")
        assert "it goes on" in chat.conversation.records[1].text
        (asked,) = hub.fetched(shard)
        assert int(asked.removeprefix("bytes=").removesuffix("-")) > 0
        assert not hub.fetched("tokenizer.json")
        store.load(tmp_path, "tiny").verify(full=True)

    async def body():
        async with AssistantApp(kept.session, openers).run_test() as pilot:
            await steps(pilot)

    asyncio.run(body())


def test_at_the_command_line(hub, shard, tmp_path):
    settings = tmp_path / "home" / "vgpu-assistant" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text(yaml.safe_dump({"host": "tiny", "hosts": {"tiny": ENTRY}}))
    environment = os.environ | {
        "XDG_CONFIG_HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_DATA_HOME": str(tmp_path / "data"), "HF_HOME": str(tmp_path / "hf"),
        "HF_ENDPOINT": hub.url, "NO_PROXY": "127.0.0.1", "PYTHONPATH": str(Path.cwd()),
    }  # fmt: skip
    hub.faults[shard] = [("cut", PART), "hold"]
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant", "ask", "hello"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not hub.held.wait(1):
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    told, notes = process.communicate()
    hub.release.set()
    assert process.returncode == 130 and told == ""
    assert notes.splitlines()[-1] == "interrupted" and "Traceback" not in notes
    hub.log.clear()
    cache = tmp_path / "cache" / "vgpu-assistant"
    fetch.obtain(cache, "tiny", ENTRY, 2).verify(full=True)
    assert hub.fetched(shard) == [f"bytes={PART}-"]


def stopped_after(seconds: float):
    """Set after that time; where a slow machine has not begun by then, it does not begin."""
    stop = threading.Event()
    threading.Timer(seconds, stop.set).start()
    return stop


def test_pip_is_ended():
    with pytest.raises(Cancelled), stoppable(stopped_after(0.3)):
        wheels._run([sys.executable, "-c", "import time; time.sleep(600)"])


def test_who_waits_for_another_process_may_leave(tmp_path):
    mine, stop = store.locked(tmp_path, REPO), stopped_after(0.3)
    with mine, pytest.raises(Cancelled), stoppable(stop), store.locked(tmp_path, REPO):
        raise AssertionError("two at once")


def test_outside_of_such_work_nothing_is_stopped():
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled), stoppable(stop):
        raise AssertionError("it began")
    check()
