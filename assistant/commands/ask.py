"""`assistant ask`: one question, one answer."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant import config
from assistant.commands.options import Engine, Host, Json
from assistant.console import out, out_json
from vgpu.errors import InputError


def command(
    question: Annotated[str, typer.Argument(help="The question, in plain language.")],
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="basic or advanced.")
    ] = None,
    host: Host = None,
    engine: Engine = None,
    json: Json = False,
) -> None:
    """Answer a question; its figures are computed by the machine."""
    from assistant.answer import Assistant, check_mode

    settings = config.load({"mode": mode, "host": host, "engine": engine})
    check_mode(settings["mode"])
    if not question.strip():
        raise InputError("the question is empty")
    answer = Assistant(settings).answer(question)
    if json:
        out_json(answer.record())
    else:
        out(answer.text)
        if answer.footing:
            out(answer.footing)
    if not answer.ok:
        raise typer.Exit(1)
