"""The cache of hosts: one folder a host, complete or absent, every file hashed.

A folder is written beside its final place and renamed, so a build that is killed leaves nothing
that a later call would load. `manifest.json` holds SHA-256, size and time of every file, a hash of
itself, and whether the model of these files can be a host. A file may be a link into the Hugging
Face cache or a person's own folder; its hash is that of the content.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from assistant.console import note
from assistant.stopping import check
from vgpu.errors import RunError

MANIFEST = "manifest.json"
HOST_SETTINGS = "host_config.json"
# What the machine adds to a host's folder; all other files are the host's. The list of hashes is
# what `VGPUForCausalLM.from_pretrained` looks at: it knows nothing of the manifest.
HASHES = "vgpu_files.json"
MACHINE = "machine.safetensors"
JOINED = frozenset({"config.json", MACHINE, HASHES})
# Fitted on the host behind its back, hashed by itself, and kept when the folder is made anew.
ROUTER = "router.safetensors"
# Files up to this size are hashed at every load: a quarter of a second, spent while PyTorch is
# imported. Larger ones are hashed when their size or time has changed, and by `assistant build` and
# `doctor --verify`.
ALWAYS_HASHED = 1 << 30
_CHUNK = 1 << 20


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()


@dataclass(frozen=True)
class FileRecord:
    """A file as it was written: its hash, its bytes, and its time in nanoseconds."""

    sha256: str
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path, known: str | None = None) -> FileRecord:
        """`known`: the hash, where the caller has just computed it."""
        stat = path.stat()
        return cls(known or sha256(path), stat.st_size, stat.st_mtime_ns)


@dataclass(frozen=True)
class Verdict:
    """Whether a checkpoint can be a host, as `assistant build` found it: `refused` says in one line
    why not, and is empty when it can. It holds for one transformers and one type of the weights.

    `light`: whether `assistant.hosts.body` reads it bit for bit as transformers does; None where
    nobody tried.
    """

    transformers: str
    dtype: str
    refused: str = ""
    light: bool | None = None


@dataclass(frozen=True)
class Stored:
    """A host on disk, with the machine. `digest` names the host's exact contents, and what is
    fitted on it carries that name.

    `ask` is what a person writes after `--host` to mean it; `machine` the key of the machine that
    it was joined with, empty when it never was; `verdict` None until the host was checked.
    """

    name: str
    root: Path
    source: str
    files: Mapping[str, FileRecord]
    ask: str
    machine: str = ""
    verdict: Verdict | None = None

    @property
    def host_files(self) -> dict[str, FileRecord]:
        """Those that came with the host, its settings under the name that they have here."""
        if HOST_SETTINGS not in self.files:
            return dict(self.files)
        return {name: record for name, record in self.files.items() if name not in JOINED}

    @property
    def digest(self) -> str:
        files = self.host_files
        if HOST_SETTINGS in files:
            files["config.json"] = files.pop(HOST_SETTINGS)
        listing = json.dumps(sorted((name, record.sha256) for name, record in files.items()))
        return hashlib.sha256(listing.encode()).hexdigest()[:16]

    @property
    def size(self) -> int:
        return sum(record.size for record in self.files.values())

    def check(self) -> None:
        """Every file is there and has its size; the host's settings, which are read before the rest
        is verified, are what was written. Raises `RunError` with the mend."""
        for name, record in self.files.items():
            path = self.root / name
            if not path.is_file():
                raise RunError(f"{path} is missing: {self._mend}")
            if path.stat().st_size != record.size:
                raise RunError(f"{path} is damaged (wrong size): {self._mend}")
        name = HOST_SETTINGS if HOST_SETTINGS in self.files else "config.json"
        if name in self.files:
            self._compare(name)

    def _compare(self, name: str) -> None:
        path = self.root / name
        if sha256(path) != self.files[name].sha256:
            raise RunError(f"{path} is damaged (wrong SHA-256): {self._mend}")

    def verify(self, *, full: bool = False) -> None:
        """Hashes the files and compares (see `ALWAYS_HASHED`). Raises `RunError` with the mend."""
        self.check()
        moved = {}
        for name, record in self.files.items():
            path = self.root / name
            unchanged = path.stat().st_mtime_ns == record.mtime_ns
            if not full and unchanged and record.size > ALWAYS_HASHED:
                continue
            self._compare(name)
            if not unchanged:
                moved[name] = FileRecord.of(path, record.sha256)
        if moved:
            # A copied cache has new times: note them once, unless it is read-only.
            with contextlib.suppress(OSError):
                _write(self.root, replace(self, files={**self.files, **moved}))

    def damaged(self) -> set[str]:
        """The files that are missing or not what was written; every byte is read."""
        return {
            name
            for name, record in self.files.items()
            if not (self.root / name).is_file() or sha256(self.root / name) != record.sha256
        }

    @property
    def _mend(self) -> str:
        return f"run `assistant build --host {self.ask}`"


def folder(cache: Path, name: str) -> Path:
    return cache / "hosts" / name


def work_folder(cache: Path, name: str) -> Path:
    """Where downloads are kept until the host is whole, so that a later call goes on with them."""
    return cache / "downloads" / name


def load(cache: Path, name: str) -> Stored | None:
    """The stored host, or None when there is none (or only a broken manifest)."""
    root = folder(cache, name)
    try:
        record = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
        # Those of earlier versions have no hash of their own.
        if record.pop("sha256", None) not in (None, _own_hash(record)):
            return None
        files = {file: FileRecord(**fields) for file, fields in record["files"].items()}
        said = record.get("verdict")
        verdict = Verdict(**said) if said else None
        ask, machine = record.get("ask", name), record.get("machine", "")
        return Stored(name, root, record["source"], files, ask, machine, verdict)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def judge(stored: Stored, verdict: Verdict) -> None:
    """Keeps the verdict in the manifest, as long as that is still the one of this host. Where it
    cannot be written, the host is checked again at the next load."""
    now = load(stored.root.parent.parent, stored.name)
    if now is not None and now.digest == stored.digest:
        with contextlib.suppress(OSError):
            _write(now.root, replace(now, verdict=verdict))


@contextlib.contextmanager
def locked(cache: Path, name: str) -> Iterator[None]:
    """One process at a time makes the host `name`. The lock of a killed process is free."""
    place = folder(cache, name).parent
    place.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place / f".{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        note(f"another process is making {name}: waiting for it")
        while not lock.is_locked:
            check()
            with contextlib.suppress(Timeout):
                lock.acquire(timeout=0.2)
    try:
        _recover(folder(cache, name))
        yield
    finally:
        lock.release()


def _recover(target: Path) -> None:
    """A process killed while it swapped folders left the new one whole, or the old one aside."""
    if not target.exists():
        for kept in _beside(target):
            if (kept / MANIFEST).is_file():
                os.replace(kept, target)
                break
    if (target / MANIFEST).is_file():
        _remove(*_beside(target))
        for unfinished in target.glob(f"{MANIFEST}.*"):
            unfinished.unlink(missing_ok=True)


def _beside(target: Path) -> tuple[Path, Path]:
    """The folder in the making and the one just replaced."""
    return target.parent / f".{target.name}.draft", target.parent / f".{target.name}.old"


@contextlib.contextmanager
def writing(cache: Path, name: str) -> Iterator[Path]:
    """An empty folder that becomes the host's folder when the block ends without an error.

    The caller holds the lock, and the block writes the manifest last.
    """
    target = folder(cache, name)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft, old = _beside(target)
    _remove(draft, old)
    draft.mkdir()
    try:
        yield draft
        if (target / ROUTER).is_file():
            link(target / ROUTER, draft / ROUTER)
        _sync(draft)
        if target.exists():
            os.replace(target, old)
        os.replace(draft, target)
    finally:
        _remove(draft, old)


def link(source: Path, target: Path) -> None:
    """A second name for the same file; a copy where the disk has no such thing."""
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def write_manifest(
    draft: Path,
    name: str,
    source: str,
    known: Mapping[str, str] | None = None,
    ask: str = "",
    *,
    machine: str = "",
    kept: Mapping[str, FileRecord] | None = None,
    verdict: Verdict | None = None,
) -> None:
    """draft/manifest.json for the files of `draft`. `known`: hashes that need not be made again;
    `kept`: records that stay as they are, whatever the file has become since; `machine`: the key
    of the machine in the folder, whose list of hashes is then written too; `verdict`: that of the
    same host, where it was checked before."""
    known, files = known or {}, dict(kept or {})
    for path in sorted(draft.rglob("*")):
        file = path.relative_to(draft).as_posix()
        if path.is_file() and file not in files and file not in (MANIFEST, HASHES):
            files[file] = FileRecord.of(path, known.get(file))
    if machine:
        hashes = {file: record.sha256 for file, record in sorted(files.items())}
        text = json.dumps({"sha256": hashes}, indent=1) + "\n"
        (draft / HASHES).write_text(text, encoding="utf-8")
        files[HASHES] = FileRecord.of(draft / HASHES)
    _write(draft, Stored(name, draft, source, files, ask or name, machine, verdict))


def _write(root: Path, stored: Stored) -> None:
    record: dict[str, Any] = {
        "ask": stored.ask,
        "source": stored.source,
        "machine": stored.machine,
        "verdict": vars(stored.verdict) if stored.verdict else None,
        "files": {file: vars(record) for file, record in stored.files.items()},
    }
    record["sha256"] = _own_hash(record)
    # Two processes may note something at once: each writes a file of its own.
    path = root / f"{MANIFEST}.{os.getpid()}"
    try:
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        os.replace(path, root / MANIFEST)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _own_hash(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def _sync(draft: Path) -> None:
    """Contents reach the disk before the name does: a crash leaves the old folder or the new."""
    for path in draft.iterdir():
        if path.is_file() and not path.is_symlink():
            with path.open("rb+") as file:
                os.fsync(file.fileno())


def _remove(*folders: Path) -> None:
    for path in folders:
        shutil.rmtree(path, ignore_errors=True)
