"""One file over HTTP: resumed where it was cut, checked when it is whole."""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.console import Progress, note
from assistant.hosts.failures import AGAIN, Unavailable, first_line
from assistant.stopping import check
from vgpu.errors import RunError

# A connection that brings nothing for this long is given up and made again.
STALL_S = 30.0
# Attempts in a row that bring nothing new before the transfer is given up.
ATTEMPTS = 5
PAUSE_S = 1.0
_CHUNK = 1 << 20


@dataclass(frozen=True)
class RemoteFile:
    """A file of a repository: `sha256` for large ones, `blob` (git's name) for all."""

    name: str
    url: str
    size: int
    sha256: str | None = None
    blob: str | None = None

    def hasher(self) -> Any:
        """Of the digest that the hub gives: git hashes a header before the content."""
        if self.sha256:
            return hashlib.sha256()
        return hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)

    @property
    def digest(self) -> str | None:
        return self.sha256 or self.blob

    def matches(self, path: Path) -> bool:
        """Whether `path` holds exactly this file."""
        if not path.is_file() or path.stat().st_size != self.size:
            return False
        return self.digest is None or _hash(path, self.hasher()) == self.digest


def _hash(path: Path, hasher: Any) -> str:
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            check()
            hasher.update(block)
    return str(hasher.hexdigest())


def fetch(file: RemoteFile, target: Path) -> None:
    """`file` at `target`, whole and verified. A part left by an earlier call is gone on with.

    Raises `Unavailable` when the connection brings nothing more and `RunError` on a wrong hash.
    """
    if file.matches(target):
        return
    part = target.with_name(f"{target.name}.{(file.digest or 'x')[:12]}.part")
    progress = Progress(f"fetching {file.name}, MB")
    try:
        _receive_all(file, part, progress)
    finally:
        progress.close()
    if file.digest:
        found = _hash(part, file.hasher())
        if found != file.digest:
            part.unlink()
            raise RunError(
                f"{file.name} from {_site(file.url)}: its hash is {found[:16]}…, expected "
                f"{file.digest[:16]}…: thrown away; run `assistant build` again"
            )
    os.replace(part, target)


def _receive_all(file: RemoteFile, part: Path, progress: Progress) -> None:
    """Appends to `part` until it has the file's size."""
    from huggingface_hub.errors import HTTPError

    idle = 0
    while (have := _size(part)) < file.size or not part.exists():
        reason = "the connection was closed early"
        try:
            _receive(file, part, have, progress)
        except (HTTPError, _Answer) as error:
            status = getattr(getattr(error, "response", None), "status_code", 500)
            if 400 <= status < 500 and status not in (408, 416, 429):
                raise
            reason = first_line(error)
        now = _size(part)
        if now >= file.size and part.exists():
            break
        idle = 0 if now > have else idle + 1
        if idle >= ATTEMPTS:
            raise Unavailable(
                f"{file.name} from {_site(file.url)} stops at {now:,} of {file.size:,} bytes "
                f"({reason}); {AGAIN}"
            )
        if idle > 1:
            note(f"{file.name}: {reason}; trying again")
        check()
        time.sleep(PAUSE_S * idle)
    if _size(part) > file.size:
        part.unlink()
        raise Unavailable(
            f"{file.name} from {_site(file.url)} is longer than the {file.size:,} bytes announced "
            "(does a proxy answer in place of the hub?)"
        )


def _receive(file: RemoteFile, part: Path, have: int, progress: Progress) -> None:
    """One request: the rest of the file from byte `have`, as far as the connection brings it."""
    from huggingface_hub import get_session
    from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    with get_session().stream("GET", file.url, headers=headers, timeout=STALL_S) as response:
        hf_raise_for_status(response)
        if not _is_the_file(response, file.size, have):
            raise _Answer("the answer is not this file: does a proxy answer in place of the hub?")
        # A server without ranges sends the whole file again.
        mode = "ab" if have and response.status_code == 206 else "wb"
        with part.open(mode) as out:
            done = out.tell()
            for block in response.iter_raw():
                out.write(block)
                done += len(block)
                progress(done >> 20, file.size >> 20)
                if done > file.size:
                    return


class _Answer(Exception):
    """What came is not what was asked for."""


def _is_the_file(response: Any, size: int, have: int) -> bool:
    """By its lengths, where it gives them, and its type."""
    if response.headers.get("Content-Type", "").startswith("text/html"):
        return False
    expected = size - have if response.status_code == 206 else size
    return int(response.headers.get("Content-Length", expected)) == expected


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _site(url: str) -> str:
    return url.split("/")[2] if url.count("/") > 2 else url
