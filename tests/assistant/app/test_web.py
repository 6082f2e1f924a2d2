"""serve-web: the app comes through the web socket, and only to pages of its own."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import aiohttp
import psutil
import pytest
from aiohttp.test_utils import TestServer, unused_port

from assistant.app.web.server import ADDRESS, LocalServer
from assistant.commands import serve_web
from vgpu.errors import InputError

from .browser import CHROMIUM, chromium

APP = Path(__file__).with_name("fake_app.py")


def serving(tmp_path, check):
    port = unused_port()
    command = shlex.join([sys.executable, str(APP), str(tmp_path)])

    async def body():
        served = TestServer(await LocalServer(command, port)._make_app(), host=ADDRESS, port=port)
        async with served, aiohttp.ClientSession() as client:
            await check(client, f"http://{ADDRESS}:{port}")

    asyncio.run(body())


def test_the_page_loads_nothing_from_elsewhere(tmp_path):
    async def check(client, url):
        async with client.get(url) as answer:
            page = await answer.text()
        assert answer.status == 200 and "textual.js" in page
        assert "://" not in page.replace(url, "").replace(url.replace("http", "ws"), "")

    serving(tmp_path, check)


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://elsewhere.example"}, {"Host": "elsewhere.example"}, {}],
)
def test_other_sites_are_refused(tmp_path, headers):
    async def check(client, url):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{url}/ws", headers=headers)
        assert refused.value.status == 403

    serving(tmp_path, check)


def test_the_app_answers_in_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))

    async def check(client, url):
        seen = b""
        async with client.ws_connect(f"{url}/ws?width=100&height=30", origin=url) as page:

            async def until(words):
                nonlocal seen
                while words not in seen:
                    message = await page.receive(timeout=60)
                    assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT)
                    if message.type is aiohttp.WSMsgType.BINARY:
                        seen += message.data

            await until(b"ready")
            await page.send_json(["stdin", "the dot product\r"])
            await until("◆ 32".encode())

    serving(tmp_path, check)


def test_ports_that_cannot_be(tmp_path):
    with pytest.raises(InputError, match="expected 0 to 65535"):
        serve_web._free(70000)
    assert serve_web._free(0) > 0


@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed (apt install chromium)")
def test_a_session_in_a_browser(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))

    async def check(client, url):
        async with chromium() as page:
            await page.open(url)
            assert "F1 help" in await page.wait("Fake host · basic · ready")
            await page.type("What is the dot product of [1, 2, 3] and [4, 5, 6]?")
            await page.press("Enter", 13, "\r")
            assert "43 passes" in await page.wait("◆ 32")
            await page.type("long run")
            await page.press("Enter", 13, "\r")
            await page.wait("^C stops")
            await page.press("c", 67, modifiers=2)
            await page.wait("stopped")
            # It is drawn, not only there: text and frame have colours of their own.
            assert await page.colours() > 16
            await page.press("q", 81, modifiers=2)
            while not await page.evaluate("document.body.classList.contains('-closed')"):
                await asyncio.sleep(0.1)

    serving(tmp_path, check)


def test_only_this_computer_is_served_and_the_end_does_not_wait_for_pages(tmp_path):
    """The command itself, with a page open: where it listens, and how it ends."""
    environment = os.environ | {"PYTHONPATH": str(Path.cwd()), "HOME": str(tmp_path)}
    for folder in ("CONFIG", "CACHE", "DATA"):
        environment[f"XDG_{folder}_HOME"] = str(tmp_path / folder)
    server = subprocess.Popen(
        [sys.executable, "-m", "assistant", "serve-web", "--port", "0"],
        stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    url = server.stderr.readline().split("at ")[1].split(";")[0]
    port = int(url.rpartition(":")[2])

    async def body():
        async with aiohttp.ClientSession() as client:
            while True:
                try:
                    page = await client.ws_connect(f"{url}/ws", origin=url)
                    break
                except aiohttp.ClientConnectionError:
                    await asyncio.sleep(0.05)
            while (await page.receive(timeout=60)).type is not aiohttp.WSMsgType.BINARY:
                pass
            process = psutil.Process(server.pid)
            open_at = [c.laddr for c in process.net_connections("inet") if c.status == "LISTEN"]
            assert open_at == [("127.0.0.1", port)]
            apps = process.children()
            server.send_signal(signal.SIGINT)
            while page.close_code is None:
                await page.receive(timeout=60)
            assert page.close_code == aiohttp.WSCloseCode.GOING_AWAY
        return apps

    try:
        apps = asyncio.run(body())
        assert server.wait(60) == 0
        assert apps and not any(app.is_running() for app in apps)
    finally:
        server.kill()
        server.communicate()
