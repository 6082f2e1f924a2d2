"""`assistant run`: a CUDA, PTX or compiled kernel on the machine."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant import config, launch_args, sources
from assistant.commands.options import ClangPath, Engine, Json, Via
from assistant.console import Progress, note, out, out_json
from vgpu.errors import InputError

_SHOWN = 64


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".cu, .ptx or .vgpu")],
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="K", help="Which kernel, if several.")
    ] = None,
    grid: Annotated[
        str, typer.Option("--grid", metavar="N", help="Blocks: N, X,Y or X,Y,Z.")
    ] = "1",
    block: Annotated[str, typer.Option("--block", metavar="N", help="Threads a block.")] = "1",
    shared: Annotated[
        int, typer.Option("--shared", metavar="BYTES", help="Dynamic shared memory.")
    ] = 0,
    ins: Annotated[
        list[str] | None,
        typer.Option("--in", metavar="NAME[:TYPE]=V,V,...", help="An array with contents."),
    ] = None,
    outs: Annotated[
        list[str] | None,
        typer.Option("--out", metavar="NAME[:TYPE]=COUNT", help="An array that is read back."),
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME[:TYPE]=V", help="A scalar."),
    ] = None,
    engine: Engine = None,
    max_passes: Annotated[
        int | None, typer.Option("--max-passes", metavar="N", help="The pass budget.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE.jsonl", help="Every word.")
    ] = None,
    via: Via = None,
    clang: ClangPath = None,
    json: Json = False,
) -> None:
    """Run a kernel on the machine and print what it wrote."""
    settings = config.load({"engine": engine, "max_passes": max_passes, "via": via, "clang": clang})
    if shared < 0:
        raise InputError(f"--shared {shared}: expected a number of bytes, at least 0")
    grid3 = launch_args.dimensions("--grid", grid)
    block3 = launch_args.dimensions("--block", block)
    if trace and trace.is_dir():
        raise InputError(f"--trace {trace}: this is a folder, expected a file")
    if trace and not trace.absolute().parent.is_dir():
        raise InputError(f"--trace {trace}: there is no folder {trace.parent}")
    if settings["max_passes"] < 1:
        raise InputError(f"--max-passes {settings['max_passes']}: expected at least 1")
    program = sources.program(file, kernel, settings["via"], settings["clang"])
    given = launch_args.collect(program.params, ins or [], outs or [], sets or [])

    import vgpu

    machine = vgpu.Machine(engine=settings["engine"])
    inputs: dict[str, Any] = {n: vgpu.Array(*array) for n, array in given.arrays.items()}
    progress = Progress("passes")
    try:
        run = machine.run(
            program, inputs | given.scalars, given.outputs, grid=grid3, block=block3,
            shared=shared, max_passes=settings["max_passes"], trace=trace, progress=progress,
        )  # fmt: skip
    finally:
        progress.close()
    folded = bool(program.stats.get("folded", 0))
    for name in (p.name for p in program.params if p.pointer):
        if name not in given.arrays and name not in given.outputs:
            note(f"{name} was not given: taken as an output of one element")
    if json:
        out_json(_record(run, folded))
        return
    for name, values in run.outputs.items():
        out(f"{name} = {_shown(values, run.types.get(name))}")
    out(
        f"{run.kernel} · grid {_dims(run.grid)} · block {_dims(run.block)} · {run.engine} · "
        f"{run.passes} passes · {run.words} words · {run.instructions} instructions · "
        f"{run.seconds:.2f} s"
    )
    if folded:
        out("note: the compiler had folded the result to a constant; the network only stored it")


def _record(run: Any, folded: bool) -> dict[str, Any]:
    return {
        "kernel": run.kernel,
        "grid": list(run.grid),
        "block": list(run.block),
        "engine": run.engine,
        "passes": run.passes,
        "words": run.words,
        "instructions": run.instructions,
        "seconds": run.seconds,
        "outputs": run.outputs,
        "computed_by": "interpreter" if run.engine == "interpreter" else "network",
        "folded": folded,
    }


def _dims(dims: tuple[int, int, int]) -> str:
    return "×".join(str(d) for d in dims if d > 1) or "1"


def _shown(values: list[int], kind: str | None) -> str:
    """Values for a person; f32 travel as bit patterns and are shown as numbers."""
    shown = values[:_SHOWN]
    texts = [
        repr(struct.unpack("<f", v.to_bytes(4, "little"))[0]) if kind == "f32" else str(v)
        for v in shown
    ]
    more = f", ... ({len(values)} in all)" if len(values) > _SHOWN else ""
    return f"{', '.join(texts)}{more}"
