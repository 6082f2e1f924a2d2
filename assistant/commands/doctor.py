"""`assistant doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant import __version__, config
from assistant.commands.options import Host, Json
from assistant.console import out, out_json
from assistant.host_entries import Entry
from vgpu.errors import RunError

if TYPE_CHECKING:
    from assistant.hosts.store import Stored

_PACKAGES = (
    "torch", "transformers", "huggingface_hub", "safetensors", "gguf", "llvmlite",
    "ziglang",
)  # fmt: skip


def command(
    host: Host = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Hash every file of the host, however large.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what is installed, what is missing, and how to get it."""
    settings = config.load({"host": host})
    record = collect(settings)
    if verify:
        record["host"]["verified"] = _verify(settings)
    if json:
        out_json(record)
        return
    _show(record)


def _show(record: dict[str, Any]) -> None:
    machine, host, clang = record["machine"], record["host"], record["clang"]
    out(
        f"machine   {machine['layers']} layers of {machine['hidden']}, {machine['neurons']:,} "
        f"neurons, {machine['nonzeros']:,} non-zero weights; {machine['lanes']} lanes, "
        f"{machine['registers']} registers, {machine['instructions']:,} instructions, "
        f"{machine['memory_bytes']:,} bytes of memory"
    )
    state = host["source"] if host["cached"] else "not fetched yet: run `assistant build`"
    if host.get("needs_bytes"):
        state += f", {host['needs_bytes'] / 1e9:.1f} GB of memory"
    if host.get("verified"):
        state += ", every file verified"
    out(f"host      {host['label']} ({state})")
    found = f"{clang['path']} (version {clang['version']})" if clang else None
    out(f"clang     {found or 'none: pip install ziglang, or install clang 14 or newer'}")
    for name, version in record["versions"].items():
        out(f"{name:<15} {version or f'missing: pip install {name}'}")
    out(f"settings  {record['paths']['config']}")
    out(f"cache     {record['paths']['cache']}")


def collect(settings: config.Config) -> dict[str, Any]:
    """The JSON shape of `doctor --json`."""
    from assistant.hosts import store
    from codegen.clang import find_clang
    from vgpu.network import machine_summary

    name, entry = settings.host()
    stored = store.load(config.cache_dir(), name)
    clang = find_clang()
    return {
        "machine": dict(machine_summary()),
        "host": {
            "name": name,
            "label": entry.get("label", name),
            "licence": entry.get("licence"),
            "cached": stored is not None,
            "source": stored.source if stored else None,
            "disk_bytes": stored.size if stored else None,
            "needs_bytes": _needs(stored, entry) if stored else None,
            "device": settings["device"],
        },
        "clang": {"path": clang.path, "version": clang.version} if clang else None,
        "versions": {
            "assistant": __version__,
            "python": platform.python_version(),
        }
        | {package: _version(package) for package in _PACKAGES},
        "paths": {"config": str(config.user_file()), "cache": str(config.cache_dir())},
    }


def _needs(stored: Stored, entry: Entry) -> int | None:
    """Memory for the host in bytes; None when its files cannot be read."""
    from assistant.hosts import loader

    try:
        return loader.needed_bytes(stored.root, entry.get("dtype", "bfloat16"))
    except RunError:
        return None


def _verify(settings: config.Config) -> bool:
    """True when every file of the host is what was written. Raises `RunError` on a damaged one."""
    from assistant.hosts import store

    stored = store.load(config.cache_dir(), settings.host()[0])
    if stored is None:
        raise RunError("there is no host to verify: run `assistant build`")
    stored.verify(full=True)
    return True


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
