"""`assistant build`: everything that later commands would otherwise make at their first use."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Annotated

import typer

from assistant import config
from assistant.commands.options import Host
from assistant.console import note, out


def command(
    host: Host = None,
    force: Annotated[bool, typer.Option("--force", help="Make everything anew.")] = False,
    accept_licence: Annotated[
        bool,
        typer.Option(
            "--accept-licence", help="You have read the host's terms and agree (see its entry)."
        ),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="DIR", help="Write the model for plain transformers."),
    ] = None,
) -> None:
    """Make one model of host and machine, and fit its router. A second call verifies them.

    Killed at any moment, it goes on where it stopped; a damaged file is made again.
    """
    settings = config.load({"host": host})
    name, entry = settings.host()
    started = time.perf_counter()
    from assistant.hosts import fetch, host_of
    from assistant.hosts.failures import storage_errors
    from assistant.router.opening import open_router

    cache, timeout = config.cache_dir(), settings["hub_timeout"]
    fetch.check_terms(cache, name, entry, accept_licence)
    summary = _machine()
    if force:
        fetch.obtain(cache, name, entry, timeout, force=True, accepted=accept_licence)
    stored = fetch.repaired(cache, name, entry, timeout, accepted=accept_licence)
    model = host_of(stored, entry, settings)
    model.check()
    with storage_errors(cache):
        open_router(settings, model, force=force)
    _tidy(cache)
    out(
        f"machine: {summary['layers']} layers, {summary['neurons']:,} neurons, "
        f"{summary['nonzeros']:,} non-zero weights"
    )
    licence = f", {entry['licence']}" if "licence" in entry else ""
    out(f"host: {model.label} ({model.source}{licence}), {stored.size / 1e6:,.0f} MB")
    out(f"model: {stored.root}")
    if export is not None:
        from assistant.hosts.export import export_model

        note(f"exporting to {export}")
        export_model(model, export)
        out(f"exported to {export}: python {export / 'run_program.py'}")
    out(f"ready in {time.perf_counter() - started:.0f} s; kept in {cache}")


def _tidy(cache: Path) -> None:
    """Earlier versions kept the routers' heads apart from the hosts."""
    with contextlib.suppress(OSError):
        for head in (cache / "routers").glob("head-*.safetensors"):
            head.unlink()
        (cache / "routers").rmdir()


def _machine() -> dict[str, int]:
    """Compiles the machine, and the engine's code by a first run; both are kept on disk."""
    import codegen
    import vgpu
    from vgpu.network import machine_summary

    note("compiling the machine")
    summary = machine_summary()
    kernel = codegen.catalog()["add"]
    launch = kernel.bind([20, 22])
    vgpu.Machine(engine="sparse").run(kernel.program(), launch.inputs, launch.outputs)
    return summary
