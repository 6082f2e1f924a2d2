"""A web server that behaves like the Hugging Face hub, and misbehaves when a test asks it to."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPO = "Org/Tiny"
ENTRY = {"label": "Tiny", "hub": {"repo": REPO, "revision": "main"}}
LARGE = (".safetensors", "tokenizer.json")


class FakeHub:
    """Serves the files of `folders` (repository to folder).

    `faults`: file name to a list of faults, one used up by each request for that file:
    ("cut", N): N bytes, then the connection closes; "stall": nothing comes; "hold": nothing comes
    until the test releases it; "trickle": a thousand bytes twenty times a second; "flip": one bit
    is wrong; "page": a proxy's web page with status 200; "whole": ranges are ignored; an integer:
    that status.
    `refusal`: (status, X-Error-Code) for every request. `log`: (path, Range) of every request;
    `proxied`: how many of them came as to a proxy.
    """

    def __init__(self, folders: dict[str, Path]) -> None:
        self.folders = folders
        self.faults: dict[str, list[object]] = {}
        self.refusal: tuple[int, str] | None = None
        self.pages = False
        self.proxied = 0
        self.log: list[tuple[str, str | None]] = []
        self.tokens: list[str | None] = []
        self.held, self.release = threading.Event(), threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                hub.answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def fetched(self, name: str) -> list[str | None]:
        """The Range of each request that brought bytes of the file `name`."""
        return [r for path, r in self.log if path.startswith("/cdn/") and path.endswith(name)]

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        # As a proxy it is asked for whole addresses.
        path = re.sub(r"^https?://[^/]+", "", request.path.partition("?")[0])
        self.proxied += path != request.path.partition("?")[0]
        self.log.append((path, request.headers.get("Range")))
        self.tokens.append(request.headers.get("Authorization"))
        if self.refusal:
            status, code = self.refusal
            return self._send(request, status, b"{}", {"X-Error-Code": code} if code else {})
        if self.pages:
            return self._send(request, 200, b"<html>log in to the network</html>")
        listing = re.fullmatch(r"/api/models/([^/]+/[^/]+)(/revision/.+)?", path)
        if listing:
            return self._list(request, listing[1])
        found = re.fullmatch(r"/(cdn/)?([^/]+/[^/]+)/resolve/[^/]+/(.+)", path)
        if not found or not (self._folder(found[2]) / found[3]).is_file():
            return self._send(request, 404, b"{}", {"X-Error-Code": "EntryNotFound"})
        if not found[1]:
            return self._send(request, 302, b"", {"Location": f"{self.url}/cdn{path}"})
        self._file(request, self._folder(found[2]) / found[3])

    def _folder(self, repo: str) -> Path:
        return self.folders.get(repo, Path("/nonexistent"))

    def _list(self, request: BaseHTTPRequestHandler, repo: str) -> None:
        if repo not in self.folders:
            return self._send(request, 404, b"{}", {"X-Error-Code": "RepoNotFound"})
        siblings = []
        for path in sorted(self.folders[repo].iterdir()):
            data = path.read_bytes()
            blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
            entry = {"rfilename": path.name, "size": len(data), "blobId": blob}
            if path.name.endswith(LARGE):
                sha = hashlib.sha256(data).hexdigest()
                entry["lfs"] = {"sha256": sha, "size": len(data), "pointerSize": 130}
            siblings.append(entry)
        record = {"id": repo, "sha": COMMIT, "private": False, "tags": [], "siblings": siblings}
        self._send(request, 200, json.dumps(record).encode(), {"Content-Type": "application/json"})

    def _file(self, request: BaseHTTPRequestHandler, path: Path) -> None:
        faults = self.faults.get(path.name)
        fault = faults.pop(0) if faults else None
        if isinstance(fault, int):
            return self._send(request, fault, b"")
        if fault == "hold":
            self.held.set()
            self.release.wait(30)
            request.close_connection = True
            return None
        if fault == "page":
            return self._send(request, 200, b"<html>blocked</html>")
        if fault == "stall":
            time.sleep(1)
            request.close_connection = True
            return None
        data = path.read_bytes()
        if fault == "flip":
            data = data[:-1] + bytes([data[-1] ^ 1])
        wanted = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range") or "")
        start = int(wanted[1]) if wanted and fault != "whole" else 0
        status = 206 if wanted and fault != "whole" else 200
        cut = fault[1] if isinstance(fault, tuple) else None
        if fault == "trickle":
            return self._trickle(request, data)
        self._send(request, status, data[start:], cut=cut)
        return None

    def _trickle(self, request: BaseHTTPRequestHandler, data: bytes) -> None:
        self._send(request, 200, data, cut=0)
        for at in range(0, len(data), 1000):
            try:
                request.wfile.write(data[at : at + 1000])
            except OSError:
                return
            self.held.set()
            time.sleep(0.05)

    def _send(
        self,
        request: BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        cut: int | None = None,
    ) -> None:
        request.send_response(status)
        for key, value in (headers or {}).items():
            request.send_header(key, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[:cut])
        if cut is not None:
            request.close_connection = True
