"""`assistant chat --plain`: a line at a time, for terminals, pipes and screen readers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from assistant import config
from assistant.commands.options import Host
from assistant.console import note, out
from vgpu.errors import InputError, VgpuError

_PROMPT = "> "
_LEAVE = {"exit", "quit", "/exit", "/quit", "/q"}


def command(
    plain: Annotated[bool, typer.Option("--plain", help="A line at a time.")] = True,
    host: Host = None,
) -> None:
    """Talk to the assistant, a line at a time."""
    from assistant.answer import Assistant

    assistant = Assistant(config.load({"host": host}))
    for line in _lines():
        question = line.strip()
        if not question:
            continue
        if question.lower() in _LEAVE:
            break
        try:
            answer = assistant.answer(question)
        except VgpuError as error:
            note(str(error))
            continue
        out(answer.text)
        if answer.footing:
            out(answer.footing)


def _lines() -> Iterator[str]:
    """Lines typed at the prompt until Ctrl-D, or the lines of a pipe."""
    if not sys.stdin.isatty():
        try:
            yield from sys.stdin
        except UnicodeDecodeError:
            raise InputError("the input is not valid UTF-8 text") from None
        return
    from prompt_toolkit import PromptSession

    note("Ask a question with numbers in it; Ctrl-D leaves.")
    session: PromptSession[str] = PromptSession()
    while True:
        try:
            yield session.prompt(_PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
