"""`assistant run`: a CUDA, PTX or compiled kernel on the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant import config, ran, sources
from assistant.advanced import saved
from assistant.commands.options import (
    Block,
    ClangPath,
    Engine,
    Grid,
    Ins,
    Json,
    MaxPasses,
    Outs,
    Sets,
    Shared,
    Via,
)
from assistant.console import Progress, note, out, out_json
from assistant.launch import Launch, pass_budget
from vgpu.errors import InputError


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".cu, .ptx, .vgpu or a kept kernel")],
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="K", help="Which kernel, if several.")
    ] = None,
    grid: Grid = "1",
    block: Block = "1",
    shared: Shared = None,
    ins: Ins = None,
    outs: Outs = None,
    sets: Sets = None,
    engine: Engine = None,
    max_passes: MaxPasses = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE.jsonl", help="Every word.")
    ] = None,
    via: Via = None,
    clang: ClangPath = None,
    json: Json = False,
) -> None:
    """Run a kernel on the machine and print what it wrote."""
    settings = config.load({"engine": engine, "max_passes": max_passes, "via": via, "clang": clang})
    launch = Launch.of(grid, block, shared, ins, outs, sets)
    if trace and trace.is_dir():
        raise InputError(f"--trace {trace}: this is a folder, expected a file")
    if trace and not trace.absolute().parent.is_dir():
        raise InputError(f"--trace {trace}: there is no folder {trace.parent}")
    budget = pass_budget(settings)
    file = saved.located(file)
    sources.existing(file)
    if trace:
        sources.keep("--trace", trace, file)
    program = sources.program(file, kernel, settings["via"], settings["clang"])
    given = launch.arguments(program)

    import vgpu

    machine = vgpu.Machine(engine=settings["engine"])
    progress = Progress("passes")
    try:
        run = launch.start(
            machine, program, given, max_passes=budget, trace=trace, progress=progress
        )
    finally:
        progress.close()
    folded = bool(program.stats.get("folded", 0))
    for name in (p.name for p in program.params if p.pointer):
        if name not in given.arrays and name not in given.outputs:
            note(f"{name} was not given: taken as an output of one element")
    if given.arrays and not run.outputs:
        note("note: nothing is read back; for results add --out NAME=COUNT")
    if json:
        out_json(ran.record(run, folded))
        return
    for line in ran.lines(run):
        out(line)
    out(ran.footing(run))
    if folded:
        out(ran.FOLDED)
