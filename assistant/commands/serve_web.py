"""`assistant serve-web`: the terminal app in a browser on this computer."""

from __future__ import annotations

import shlex
import socket
import sys
from typing import Annotated

import typer

from assistant.console import note
from vgpu.errors import InputError

_ADDRESS = "127.0.0.1"
_PORT = 8123


def command(
    port: Annotated[
        int, typer.Option("--port", metavar="N", help="The port on 127.0.0.1; 0 takes a free one.")
    ] = _PORT,
) -> None:
    """Open the app in a browser, at http://127.0.0.1:8123. Ctrl-C ends it."""
    from assistant.app.web.server import LocalServer

    chosen = _free(port)
    note(f"the app is at http://{_ADDRESS}:{chosen}; Ctrl-C ends it")
    LocalServer(shlex.join([sys.executable, "-m", "assistant"]), chosen).serve()


def _free(port: int) -> int:
    """The port, when it can be had. Raises InputError."""
    if not 0 <= port < 65536:
        raise InputError(f"--port {port}: expected 0 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_ADDRESS, port))
        except OSError as error:
            raise InputError(
                f"--port {port}: {error.strerror}; give another one, or 0 for any"
            ) from None
        return int(probe.getsockname()[1])
