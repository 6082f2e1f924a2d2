"""`assistant chat`: the app, or with `--plain` (and where no screen can be drawn) a line at a
time, for terminals, pipes and screen readers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from assistant import config
from assistant.commands.options import Engine, Host
from assistant.console import note, out
from assistant.terminal import can_show_screens
from vgpu.errors import InputError

if TYPE_CHECKING:
    from assistant.conversations import Conversation, Store
    from assistant.slash import Session

_HELLO = "Ask a question with numbers in it; /help lists commands; Ctrl-D leaves."
RESUME = "--resume"


def command(
    plain: Annotated[bool, typer.Option("--plain", help="A line at a time.")] = False,
    host: Host = None,
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="basic or advanced.")
    ] = None,
    engine: Engine = None,
    resume: Annotated[
        str | None,
        typer.Option(
            RESUME, metavar="[ID]", help="Go on with a conversation; without ID, choose one."
        ),
    ] = None,
    latest: Annotated[
        bool, typer.Option("--continue", "-c", help="Go on with the latest conversation.")
    ] = False,
) -> None:
    """Talk to the assistant: in the app, or a line at a time."""
    if not plain and can_show_screens() and resume != "":
        from assistant.app import open_app

        chosen = _one_of(resume, latest)
        raise typer.Exit(open_app({"host": host, "mode": mode, "engine": engine}, chosen))
    from assistant.conversations import open_store
    from assistant.plain.repl import Repl
    from assistant.slash import Session

    options = {"host": host, "mode": mode, "engine": engine}
    settings = config.load(options)
    settings.host()
    interactive = sys.stdin.isatty()
    store = open_store()
    try:
        chosen = _chosen(store, resume, latest, interactive)
        session = Session(settings, store, {k: v for k, v in options.items() if v is not None})
        repl = Repl(session, interactive=interactive)
        if chosen is not None:
            repl.show(session.resume(chosen))
        status = repl.run(_typed(session) if interactive else _piped())
    finally:
        store.close()
    if status:
        raise typer.Exit(status)


def with_choice(arguments: Sequence[str]) -> list[str]:
    """`--resume` without a conversation as `--resume=`: it may stand alone."""
    spelled = []
    for index, argument in enumerate(arguments):
        following = arguments[index + 1] if index + 1 < len(arguments) else "-"
        alone = argument == RESUME and following.startswith("-")
        spelled.append(f"{RESUME}=" if alone else argument)
    return spelled


def _chosen(
    store: Store, resume: str | None, latest: bool, interactive: bool
) -> Conversation | None:
    _one_of(resume, latest)
    if latest:
        found = store.latest()
        if found is None:
            note("no conversation is kept yet: this is the first")
        return found
    if resume is None:
        return None
    return store.find(resume) if resume else _pick(store, interactive)


def _one_of(resume: str | None, latest: bool) -> str | None:
    """What the app resumes: "" for the latest. Raises InputError when both are asked for."""
    if latest and resume is not None:
        raise InputError("--continue and --resume exclude each other: give one of them")
    return "" if latest else resume


def _pick(store: Store, interactive: bool) -> Conversation | None:
    from assistant.slash import listing

    if not interactive:
        raise InputError("--resume: name the conversation: `assistant conversations` lists them")
    if store.latest() is None:
        note("no conversation is kept yet: this is the first")
        return None
    out(listing.conversations(store, 20))
    from prompt_toolkit import prompt

    try:
        return store.find(prompt("which one (id or title)? "))
    except (EOFError, KeyboardInterrupt):
        raise typer.Exit(0) from None


def _piped() -> Iterator[str]:
    from assistant.plain.lines import messages

    return messages(sys.stdin)


def _typed(session: Session) -> Iterator[str]:
    """What is typed at the prompt until Ctrl-D."""
    from assistant.plain.prompt import Prompt

    note(_HELLO)
    prompt = Prompt(session, config.data_dir() / "history.jsonl")
    while True:
        try:
            yield prompt.ask()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
