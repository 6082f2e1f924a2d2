"""A page in a headless Chromium, driven over its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import shutil
import tempfile
from pathlib import Path

import aiohttp

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)

# textual-serve keeps its xterm.js terminal to itself: it is caught where it gets its first add-on.
_CATCH_TERMINAL = """
Object.defineProperty(Object.prototype, 'fitAddon', {configurable: true, set(value) {
    window.shown = this.terminal;
    Object.defineProperty(this, 'fitAddon', {value, writable: true});
}});
"""
_LINES = """
(() => {
    const buffer = window.shown ? window.shown.buffer.active : null, lines = [];
    for (let at = 0; buffer && at < buffer.length; at++)
        lines.push(buffer.getLine(at).translateToString(true));
    return lines.join('\\n');
})()
"""
_COLOURS = """
(async () => {
    const picture = new Image();
    picture.src = 'data:image/png;base64,%s';
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    const pixels = context.getImageData(0, 0, picture.width, picture.height).data;
    return new Set(new Uint32Array(pixels.buffer)).size;
})()
"""


class Page:
    """One page of 1000×700 pixels. Raises AssertionError for what the browser does not know."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse):
        self._socket = socket
        self._numbers = itertools.count(1)

    async def call(self, method: str, **parameters) -> dict:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = json.loads((await self._socket.receive(timeout=60)).data)
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]

    async def evaluate(self, expression: str):
        answer = await self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def open(self, url: str) -> None:
        await self.call("Page.enable")
        await self.call("Page.addScriptToEvaluateOnNewDocument", source=_CATCH_TERMINAL)
        await self.call("Page.navigate", url=url)

    async def type(self, text: str) -> None:
        await self.evaluate("window.shown.focus()")
        await self.call("Input.insertText", text=text)

    async def press(self, key: str, code: int, character: str = "", modifiers: int = 0) -> None:
        about = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=character, **about)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    async def text(self) -> str:
        """What the terminal in the page shows."""
        return await self.evaluate(_LINES) or ""

    async def wait(self, words: str, seconds: float = 60) -> str:
        text = ""
        for _ in range(int(seconds * 10)):
            text = await self.text()
            if words in text:
                return text
            await asyncio.sleep(0.1)
        raise AssertionError(f"{words!r} is not in\n{text}")

    async def picture(self) -> bytes:
        """The page as PNG."""
        return base64.b64decode((await self.call("Page.captureScreenshot"))["data"])

    async def colours(self) -> int:
        """How many different colours the picture of the page has."""
        return await self.evaluate(_COLOURS % base64.b64encode(await self.picture()).decode())


@contextlib.asynccontextmanager
async def chromium():
    """A page of a new Chromium with a profile of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--window-size=1000,700", "--remote-debugging-port=0",
            f"--user-data-dir={profile}", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            port = await _port(Path(profile) / "DevToolsActivePort", process)
            async with aiohttp.ClientSession() as client:
                async with client.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    pages = [page for page in await answer.json() if page["type"] == "page"]
                socket = pages[0]["webSocketDebuggerUrl"]
                async with client.ws_connect(socket, max_msg_size=0) as connected:
                    yield Page(connected)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _port(file: Path, process: asyncio.subprocess.Process) -> int:
    """Chromium writes its port into a file of its profile once it listens."""
    while True:
        assert process.returncode is None, f"{CHROMIUM} ended with {process.returncode}"
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(file.read_text().split()[0])
        await asyncio.sleep(0.05)
