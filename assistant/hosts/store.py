"""The cache of converted hosts: one folder a host, complete or absent, every file hashed.

A folder is written beside its final place and renamed, so a build that is killed leaves nothing
that a later call would load. `manifest.json` holds the SHA-256 of every file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vgpu.errors import RunError

MANIFEST = "manifest.json"
_CHUNK = 1 << 20


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()


@dataclass(frozen=True)
class Stored:
    """A host on disk. `digest` names its exact contents; what is fitted on it carries that name."""

    name: str
    root: Path
    source: str
    files: dict[str, str]

    @property
    def digest(self) -> str:
        listing = json.dumps(sorted(self.files.items()))
        return hashlib.sha256(listing.encode()).hexdigest()[:16]

    def verify(self) -> None:
        """Raises `RunError` when a file is missing or differs from what was written."""
        for name, expected in self.files.items():
            path = self.root / name
            if not path.is_file():
                raise RunError(f"{path} is missing: run `assistant build --force`")
            if sha256(path) != expected:
                raise RunError(f"{path} is damaged (wrong SHA-256): run `assistant build --force`")


def folder(cache: Path, name: str) -> Path:
    return cache / "hosts" / name


def load(cache: Path, name: str) -> Stored | None:
    """The stored host, or None when there is none (or only a broken manifest)."""
    try:
        record = json.loads((folder(cache, name) / MANIFEST).read_text(encoding="utf-8"))
        return Stored(name, Path(record["root"]), record["source"], record["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextlib.contextmanager
def writing(cache: Path, name: str) -> Iterator[Path]:
    """A temporary folder that becomes the host's folder when the block ends without an error."""
    target = folder(cache, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=target.parent))
    try:
        yield draft
        old = None
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{name}-old-", dir=target.parent))
            os.replace(target, old / "folder")
        os.replace(draft, target)
        if old:
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_manifest(draft: Path, name: str, root: Path, files_in: Path, source: str) -> None:
    """draft/manifest.json: the hashes of the files of `files_in`, to be found under `root`."""
    files = {
        str(path.relative_to(files_in)): sha256(path)
        for path in sorted(files_in.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }
    record = {"name": name, "root": str(root), "source": source, "files": files}
    (draft / MANIFEST).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
