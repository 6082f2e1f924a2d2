"""`assistant doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import Any

from assistant import __version__, config
from assistant.commands.options import Json
from assistant.console import out, out_json

_PACKAGES = ("torch", "transformers", "safetensors", "numba", "llvmlite", "gguf", "ziglang")


def command(json: Json = False) -> None:
    """Show what is installed, what is missing, and how to get it."""
    record = collect(config.load())
    if json:
        out_json(record)
        return
    machine, host, clang = record["machine"], record["host"], record["clang"]
    out(
        f"machine   {machine['layers']} layers of {machine['hidden']}, {machine['neurons']:,} "
        f"neurons, {machine['nonzeros']:,} non-zero weights; {machine['lanes']} lanes, "
        f"{machine['registers']} registers, {machine['instructions']:,} instructions, "
        f"{machine['memory_bytes']:,} bytes of memory"
    )
    state = host["source"] if host["cached"] else "not fetched yet: run `assistant build`"
    out(f"host      {host['label']} ({state})")
    found = f"{clang['path']} (version {clang['version']})" if clang else None
    out(f"clang     {found or 'none: pip install ziglang, or install clang 14 or newer'}")
    for name, version in record["versions"].items():
        out(f"{name:<9} {version or f'missing: pip install {name}'}")
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
        },
        "clang": {"path": clang.path, "version": clang.version} if clang else None,
        "versions": {
            "assistant": __version__,
            "python": platform.python_version(),
        }
        | {package: _version(package) for package in _PACKAGES},
        "paths": {"config": str(config.user_file()), "cache": str(config.cache_dir())},
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
