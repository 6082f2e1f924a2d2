"""A server that only pages of its own can talk to.

The app reads files and runs kernels as the person does, so a page of another site, which a browser
lets connect to 127.0.0.1, must not reach it: requests need our own host name, and web sockets our
own origin. The page loads nothing from elsewhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web
from textual_serve.server import Server

ADDRESS = "127.0.0.1"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LocalServer(Server):
    """Serves `command` at http://127.0.0.1:`port`."""

    def __init__(self, command: str, port: int) -> None:
        super().__init__(
            command, host=ADDRESS, port=port, title="assistant",
            public_url=f"http://{ADDRESS}:{port}", templates_path=Path(__file__).parent,
        )  # fmt: skip

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

    async def on_startup(self, app: web.Application) -> None:
        """Says nothing: the command has said where the app is."""
