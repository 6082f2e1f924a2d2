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
