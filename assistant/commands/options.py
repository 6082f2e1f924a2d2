"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Host = Annotated[
    str | None,
    typer.Option(
        "--host", metavar="H", help="A host of config.yaml, org/name of the hub, or a folder."
    ),
]
Engine = Annotated[
    str | None,
    typer.Option("--engine", metavar="E", help="sparse, dense or interpreter."),
]
Via = Annotated[
    str | None,
    typer.Option("--via", metavar="V", help="How a .cu becomes PTX: llvmlite or clang."),
]
ClangPath = Annotated[str | None, typer.Option("--clang", metavar="PATH", help="The clang to use.")]
MaxPasses = Annotated[
    int | None, typer.Option("--max-passes", metavar="N", help="The pass budget.")
]

# ---- a launch ----
Grid = Annotated[str | None, typer.Option("--grid", metavar="N", help="Blocks: N, X,Y or X,Y,Z.")]
Block = Annotated[str | None, typer.Option("--block", metavar="N", help="Threads a block.")]
Shared = Annotated[
    str | None, typer.Option("--shared", metavar="BYTES", help="Dynamic shared memory.")
]
Ins = Annotated[
    list[str] | None,
    typer.Option("--in", metavar="NAME[:TYPE]=V,V,...", help="An array with contents."),
]
Outs = Annotated[
    list[str] | None,
    typer.Option("--out", metavar="NAME[:TYPE]=COUNT", help="An array that is read back."),
]
Sets = Annotated[list[str] | None, typer.Option("--set", metavar="NAME[:TYPE]=V", help="A scalar.")]
