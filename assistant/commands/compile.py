"""`assistant compile`: a kernel to PTX, to the machine's instructions, or to a stored program."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from assistant import config, sources
from assistant.commands.compile_stats import of_launch, ptx_of, shown, static
from assistant.commands.options import (
    Block,
    ClangPath,
    Engine,
    Grid,
    Ins,
    MaxPasses,
    Outs,
    Sets,
    Shared,
    Via,
)
from assistant.console import note, out
from assistant.launch import Launch
from vgpu.errors import InputError
from vgpu.program import Program

_HOW = (
    "for passes and instructions executed add a launch: "
    "--grid --block --shared --in --out --set, as for run"
)


class Show(StrEnum):
    ptx = "ptx"
    asm = "asm"
    stats = "stats"
    circuit = "circuit"


def command(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help=".cu or .ptx (not with --show circuit)")
    ] = None,
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="K", help="Which kernel, if several.")
    ] = None,
    shows: Annotated[
        str | None, typer.Option("--show", metavar="|".join(Show), help="What to print.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", metavar="FILE.vgpu", help="Where to store it.")
    ] = None,
    grid: Grid = None,
    block: Block = None,
    shared: Shared = None,
    ins: Ins = None,
    outs: Outs = None,
    sets: Sets = None,
    engine: Engine = None,
    max_passes: MaxPasses = None,
    via: Via = None,
    clang: ClangPath = None,
) -> None:
    """Compile a kernel; print a stage of it, or store the program. `--show circuit` draws the
    network itself as SVG. With a launch (--grid to --set, as for run) `--show stats` runs it and
    counts."""
    show = _show(shows)
    if output and output.is_dir():
        raise InputError(f"-o {output}: this is a folder, expected a file")
    given = (grid, block, shared, ins, outs, sets)
    launch = Launch.of(*given) if any(option is not None for option in given) else None
    if launch and not (show is Show.stats or (show is None and output is None)):
        raise InputError(
            "a launch (--grid, --block, --shared, --in, --out, --set) is for --show stats"
        )
    if show is Show.circuit:
        _circuit(output)
        return
    if file is None:
        raise InputError("compile: expected a .cu or .ptx file")
    sources.existing(file)
    if output:
        sources.keep("-o", output, file)
    settings = config.load({"via": via, "clang": clang, "engine": engine, "max_passes": max_passes})
    how = (kernel, settings["via"], settings["clang"])
    if show is Show.ptx and output is None:
        out(sources.ptx(file, *how))
        return
    program = sources.program(file, *how)
    if output:
        _store(program, output)
    if show is Show.ptx:
        out(sources.ptx(file, *how))
    elif show is Show.asm:
        out(_asm(program))
    elif show is Show.stats or output is None:
        figures = static(program)
        if launch:
            figures |= of_launch(program, ptx_of(file, kernel, settings), launch, settings, kernel)
        out(shown(figures))
        if show and not launch:
            note(_HOW)


def _show(text: str | None) -> Show | None:
    if text is not None and text not in list(Show):
        raise InputError(f'--show "{text}": expected one of {", ".join(Show)}')
    return Show(text) if text is not None else None


def _store(program: Program, output: Path) -> None:
    if not output.absolute().parent.is_dir():
        raise InputError(f"-o {output}: there is no folder {output.parent}")
    try:
        program.save(output)
    except OSError as error:
        raise InputError(f"-o {output}: {error.strerror}") from None
    note(f"{output}: {program.kernel}, {len(program.code)} instructions")


def _circuit(output: Path | None) -> None:
    from vgpu.blocks import build
    from vgpu.circuit.draw import as_svg
    from vgpu.circuit.emit import emit
    from vgpu.geometry import DEFAULT

    netlist = build(DEFAULT)
    emit(netlist, DEFAULT.hidden)
    drawing = as_svg(netlist)
    if output is None:
        out(drawing.rstrip())
        return
    try:
        output.write_text(drawing, encoding="utf-8")
    except OSError as error:
        raise InputError(f"-o {output}: {error.strerror}") from None
    note(f"{output}: the circuit by layer")


def _asm(program: Program) -> str:
    from codegen.listing import show_asm

    return show_asm(program).rstrip()
