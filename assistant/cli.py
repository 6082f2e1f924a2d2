"""The command line. Each command is one module of `assistant.commands`, imported with it.

Nothing heavy is imported here: `assistant --help` and `assistant run` need neither PyTorch nor
transformers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
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
from assistant.console import STDOUT, note, out
from vgpu.errors import InputError, VgpuError

INTERRUPTED = 130

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
    if _can_show_screens():
        from assistant.app import open_app

        raise typer.Exit(open_app(resume="" if latest else resume))
    chat.command(plain=True, host=None, resume=resume, latest=latest)


def _can_show_screens() -> bool:
    """Whether the app can be drawn: on a terminal, or in a browser for `serve-web`."""
    if "TEXTUAL_DRIVER" in os.environ:
        return True
    terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    return terminal and os.environ.get("TERM") != "dumb"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 done, 1 it ran and failed, 2 wrong call or input, 130 interrupted."""
    # transformers recommends packages whose kernels would round differently from its own.
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    _open_missing_streams()
    spelled = chat.with_choice(sys.argv[1:] if arguments is None else arguments)
    try:
        status = app(args=spelled, prog_name="assistant", standalone_mode=False)
        sys.stdout.flush()
        if status == INTERRUPTED:  # typer turns Ctrl-C into this status without a word
            note("interrupted")
        return status if isinstance(status, int) else 0
    except InputError as error:
        return _failed(error, 2)
    except VgpuError as error:
        return _failed(error, 1)
    except typer.TyperException as error:
        return _failed(error.format_message(), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain again while it shuts down.
        _drop_stdout()
        return 1
    except OSError as error:
        if error.filename == STDOUT:
            _drop_stdout()
        where = f"{error.filename}: " if error.filename else ""
        return _failed(f"{where}{error.strerror or error}", 1)


def _drop_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_missing_streams() -> None:
    """A stream that the caller closed is None; what goes there is thrown away."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _failed(error: object, status: int) -> int:
    """One line; beneath it, where there is one, the line of the source and a mark."""
    note(f"assistant: {' '.join(str(error).split())}")
    details = _details(error)
    if details:
        note(details)
    return status


def _details(error: object) -> str:
    """The line of the source that an error names, if the file is there to be read."""
    where = getattr(error, "where", None)
    if where is None:
        return str(getattr(error, "details", ""))
    from codegen.errors import caret

    file, line, column = where
    try:
        return caret(Path(file).read_text(encoding="utf-8"), line, column)
    except (OSError, UnicodeDecodeError):
        return ""


if __name__ == "__main__":
    sys.exit(main())
