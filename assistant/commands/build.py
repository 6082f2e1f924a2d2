"""`assistant build`: everything that later commands would otherwise make at their first use."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from assistant import config
from assistant.commands.options import Host
from assistant.console import note, out


def command(
    host: Host = None,
    force: Annotated[bool, typer.Option("--force", help="Make everything anew.")] = False,
) -> None:
    """Make and cache the machine, the host and the router. A second call finds them."""
    settings = config.load({"host": host})
    started = time.perf_counter()
    import codegen
    import vgpu
    from vgpu.network import machine_summary

    note("compiling the machine")
    summary = machine_summary()
    # The first run of all compiles the engine's code, which is kept for later processes.
    kernel = codegen.catalog()["add"]
    launch = kernel.bind([20, 22])
    vgpu.Machine(engine="sparse").run(kernel.program(), launch.inputs, launch.outputs)

    from assistant.hosts import open_host
    from assistant.router.opening import open_router

    model = open_host(settings, force=force)
    open_router(settings, model, force=force)
    out(
        f"machine: {summary['layers']} layers, {summary['neurons']:,} neurons, "
        f"{summary['nonzeros']:,} non-zero weights"
    )
    out(f"host: {model.label} ({model.source})")
    out(f"ready in {time.perf_counter() - started:.0f} s; kept in {config.cache_dir()}")
