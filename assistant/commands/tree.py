"""The tree of commands. Each is one module of this folder, imported with it.

Nothing heavy is imported here: `assistant --help` and `assistant run` need neither PyTorch nor
transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from assistant import __version__
from assistant.commands import (
    ask,
    bench,
    build,
    chat,
    compile,
    conversations,
    doctor,
    eval,
    run,
    serve_web,
    verify,
)
from assistant.console import INTERRUPTED, note, out
from assistant.terminal import can_show_screens

app = typer.Typer(
    name="assistant",
    help="A chat assistant whose arithmetic is done inside the language model.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (chat, ask, run, compile, build, eval, verify, bench, doctor, serve_web):
    app.command(command.__name__.rpartition(".")[2].replace("_", "-"))(command.command)
app.add_typer(conversations.app, name="conversations")


def _show_version(wanted: bool) -> None:
    if wanted:
        out(f"assistant {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def no_command(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and leave."
        ),
    ] = False,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="ID|TITLE", help="Open the app with this conversation."),
    ] = None,
    latest: Annotated[
        bool, typer.Option("--continue", "-c", help="Open the app with the latest conversation.")
    ] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    if can_show_screens():
        from assistant.app import open_app

        raise typer.Exit(open_app(resume="" if latest else resume))
    chat.command(plain=True, host=None, resume=resume, latest=latest)


def perform(arguments: Sequence[str]) -> tuple[int, str]:
    """Status, and what was wrong with the call. Other failures are raised as they are."""
    try:
        spelled = chat.with_choice(arguments)
        status = app(args=spelled, prog_name="assistant", standalone_mode=False)
    except typer.TyperException as error:
        return error.exit_code, error.format_message()
    except typer.Abort:
        status = INTERRUPTED
    if status == INTERRUPTED:  # typer turns Ctrl-C into this status without a word
        note("interrupted")
    return (status if isinstance(status, int) else 0), ""
