"""`assistant ask`: one question, one answer."""

from __future__ import annotations

from typing import Annotated

import typer

from assistant import config
from assistant.commands.options import Engine, Host, Json
from assistant.config import Config
from assistant.console import note, out, out_answer, out_json
from vgpu.errors import InputError


def command(
    question: Annotated[str, typer.Argument(help="The question, in plain language.")],
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="basic or advanced.")
    ] = None,
    host: Host = None,
    engine: Engine = None,
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="NAME", help="Advanced mode: keep the kernel by this name."),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option("--show", metavar="WHAT", help="Advanced mode: cuda, ptx or asm as well."),
    ] = None,
    json: Json = False,
) -> None:
    """Answer a question; its figures are computed by the machine."""
    from assistant.answer import Assistant, check_mode

    settings = config.load({"mode": mode, "host": host, "engine": engine})
    if not question.strip():
        raise InputError("the question is empty")
    if settings["mode"] == "advanced":
        _advanced(question, settings, save, show, json)
        return
    for option, value in (("--save", save), ("--show", show)):
        if value is not None:
            raise InputError(f"{option} is for advanced mode: add --mode advanced")
    check_mode(settings["mode"])
    answer = Assistant(settings).answer(question)
    if json:
        out_json(answer.record())
    else:
        (out_answer if answer.computed else out)(answer.text)
        if answer.footing:
            out(answer.footing)
    if not answer.ok:
        raise typer.Exit(1)


def _advanced(
    question: str, settings: Config, save: str | None, show: str | None, json: bool
) -> None:
    """Tells what happens on stderr while it does; the answer is on stdout."""
    from assistant.advanced import saved
    from assistant.advanced.answer import SHOWN, AdvancedAnswer
    from assistant.advanced.mode import AdvancedMode
    from assistant.events import Done, Loading, Note

    if show not in (None, *SHOWN):
        raise InputError(f"--show {show}: expected {', '.join(SHOWN)}")
    if save is not None:
        saved.check_name(save)
    answer: AdvancedAnswer | None = None
    for event in AdvancedMode(settings).stream(question):
        if isinstance(event, Done) and isinstance(event.answer, AdvancedAnswer):
            answer = event.answer
        elif isinstance(event, Note):
            note(event.text)
        elif isinstance(event, Loading):
            note(event.what)
    assert answer is not None
    if json:
        out_json(answer.record())
    else:
        out(answer.text)
        out(answer.footing)
        if show is not None:
            out(answer.shown(show).rstrip())
    if save is not None and answer.ok:
        note(f"kept: {saved.save(save, answer)}")
    if not answer.ok:
        raise typer.Exit(1)
