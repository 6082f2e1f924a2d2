"""`assistant ask`: one question, one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assistant import config
from assistant.commands.options import Engine, Host, Json
from assistant.console import note, out, out_answer, out_json
from vgpu.errors import InputError

if TYPE_CHECKING:
    from assistant.advanced.answer import AdvancedAnswer
    from assistant.answer import Answer
    from assistant.config import Config


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
    from assistant.advanced.answer import AdvancedAnswer

    settings = config.load({"mode": mode, "host": host, "engine": engine})
    if not question.strip():
        raise InputError("the question is empty")
    if settings["mode"] != "advanced":
        for option, value in (("--save", save), ("--show", show)):
            if value is not None:
                raise InputError(f"{option} is for advanced mode: add --mode advanced")
    _check(save, show)
    answer = _answer(question, settings)
    if json:
        out_json(answer.record())
    else:
        plain = isinstance(answer, AdvancedAnswer) or not answer.computed
        (out if plain else out_answer)(answer.text)
        if answer.footing:
            out(answer.footing)
    if isinstance(answer, AdvancedAnswer):
        _finish(answer, save, None if json else show)
    if not answer.ok:
        raise typer.Exit(1)


def _check(save: str | None, show: str | None) -> None:
    """Raises InputError before anything is begun for nothing."""
    from assistant.advanced import saved
    from assistant.advanced.answer import SHOWN

    if show not in (None, *SHOWN):
        raise InputError(f"--show {show}: expected {', '.join(SHOWN)}")
    if save is not None:
        saved.check_name(save)


def _answer(question: str, settings: Config) -> Answer | AdvancedAnswer:
    """The answer; what advanced mode does is told on stderr while it does it."""
    from assistant.answer import Assistant
    from assistant.events import Done, Loading, Note, Tried

    for event in Assistant(settings).stream(question):
        match event:
            case Done(answer):
                return answer
            case Loading(what) if settings["mode"] == "advanced":
                note(what)
            case Note(text):
                note(text)
            case Tried(step, _, text) if step != "writing":
                note(text)
    raise AssertionError("a turn ends with Done")


def _finish(answer: AdvancedAnswer, save: str | None, show: str | None) -> None:
    """The program in another form, and kept, where that was asked for."""
    from assistant.advanced import saved

    if show is not None:
        out(answer.shown(show).rstrip())
    if save is not None and answer.ok:
        note(f"kept: {saved.save(save, answer)}")
