"""A server that only pages of its own can talk to.

The app reads files and runs kernels as the person does, so a page of another site, which a browser
lets connect to 127.0.0.1, must not reach it: requests need our own host name, and web sockets our
own origin. The page loads nothing from elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import WSCloseCode, web
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

ADDRESS = "127.0.0.1"
PATIENCE = 5.0  # seconds that an app may take to leave when its page is gone
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PageApp(AppService):
    """The app of one page, which ends with it."""

    _ending: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        """Asks the app to leave, and waits until its process is gone; ends one that stays.

        A handler that is cancelled meanwhile does not stop the stopping.
        """
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        process = self._process
        if process is None:
            return
        asked = asyncio.create_task(super().stop())
        try:
            await asyncio.wait_for(process.wait(), PATIENCE)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        await asked
        self.stdin.close()
        with contextlib.suppress(OSError):
            await self.stdin.wait_closed()


class LocalServer(Server):
    """Serves `command` at http://127.0.0.1:`port`."""

    def __init__(self, command: str, port: int) -> None:
        super().__init__(
            f"exec {command}", host=ADDRESS, port=port, title="assistant",
            public_url=f"http://{ADDRESS}:{port}", templates_path=Path(__file__).parent,
        )  # fmt: skip
        self._open: dict[web.WebSocketResponse, PageApp] = {}

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._only_ours)
        return app

    @property
    def _hosts(self) -> set[str]:
        return {f"{name}:{self.port}" for name in (ADDRESS, "localhost")}

    @web.middleware
    async def _only_ours(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        wrong = origin is not None and origin not in {f"http://{host}" for host in self._hosts}
        socket = request.path == "/ws"
        if request.headers.get("Host") not in self._hosts or wrong or (socket and origin is None):
            raise web.HTTPForbidden(text="this app answers to its own page on this computer")
        return await handler(request)

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """One page with an app of its own."""
        page = web.WebSocketResponse(heartbeat=15)
        await page.prepare(request)
        app = PageApp(
            self.command, write_bytes=page.send_bytes, write_str=page.send_str,
            close=page.close, download_manager=self.download_manager,
        )  # fmt: skip
        self._open[page] = app
        try:
            width, height = (to_int(request.query.get(n, ""), d) for n, d in _SIZE.items())
            await app.start(width, height)
            await self._process_messages(page, app)
        finally:
            await app.stop()
            self._open.pop(page, None)
        return page

    async def on_startup(self, app: web.Application) -> None:
        """Says nothing: the command has said where the app is."""

    async def on_shutdown(self, app: web.Application) -> None:
        """Ctrl-C does not wait for open pages: they are told, and their apps end."""
        for page, service in list(self._open.items()):
            await page.close(code=WSCloseCode.GOING_AWAY, message=b"the server ends")
            await service.stop()


_SIZE = {"width": 80, "height": 24}
