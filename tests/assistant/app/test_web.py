"""serve-web: the app comes through the web socket, and only to pages of its own."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestServer, unused_port

from assistant.app.web.server import ADDRESS, LocalServer
from assistant.commands import serve_web
from vgpu.errors import InputError

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
