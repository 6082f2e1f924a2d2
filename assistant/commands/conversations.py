"""`assistant conversations`: list, search, show, export, rename and delete what was said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.commands.options import Json
from assistant.console import note, out, out_json
from vgpu.errors import InputError

if TYPE_CHECKING:
    from assistant.conversations import Conversation, Store

app = typer.Typer(
    help="List, search, show, export, rename and delete conversations.",
    add_completion=False,
    rich_markup_mode=None,
)
Which = Annotated[str, typer.Argument(metavar="ID|TITLE", help="Its id or title, or a beginning.")]
Count = Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="At most so many.")]


@app.callback(invoke_without_command=True)
def no_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show_list()


@app.command("list")
def show_list(count: Count = 20, json: Json = False) -> None:
    """The latest conversations first."""
    from assistant.slash import listing

    with _store() as store:
        if json:
            out_json({"conversations": [_record(c) for c in store.conversations(count)]})
        else:
            out(listing.conversations(store, count))


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(help="All of them are looked for.")],
    count: Count = 20,
    json: Json = False,
) -> None:
    """Messages and titles that hold all of the words; parts of words count."""
    from assistant.slash import listing

    query = " ".join(words)
    with _store() as store:
        if not json:
            out(listing.found(store, query, count))
            return
        hits = store.search(query, count)
        out_json({
            "found": [
                {"id": hit.conversation.id, "title": hit.conversation.title,
                 "message": hit.number, "excerpt": hit.excerpt}
                for hit in hits
            ]
        })  # fmt: skip


@app.command()
def show(which: Which, json: Json = False) -> None:
    """One conversation as Markdown, or as JSON with its runs and traces."""
    from assistant.conversations import export_json, export_markdown

    with _store() as store:
        talk = store.find(which)
        if json:
            out_json(export_json(store, talk.id))
        else:
            out(export_markdown(store, talk.id).rstrip())


@app.command()
def export(
    which: Which,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help=".md or .json; else TITLE.md.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file.")] = False,
) -> None:
    """Write a conversation to a file."""
    from assistant.conversations import write_export

    with _store() as store:
        out(str(write_export(store, store.find(which).id, file, force=force)))


@app.command()
def rename(
    which: Which, title: Annotated[list[str], typer.Argument(help="The new title.")]
) -> None:
    """Give a conversation another title."""
    with _writable() as store:
        talk = store.rename(store.find(which).id, " ".join(title))
        out(f"{talk.id} {talk.title}")


@app.command()
def delete(which: Which) -> None:
    """Delete a conversation for good."""
    with _writable() as store:
        talk = store.find(which)
        store.delete(talk.id)
        out(f"deleted {talk.id} {talk.title}")


@app.command("path")
def path() -> None:
    """Where the file of conversations is."""
    from assistant.conversations import default_path

    out(str(default_path()))


@contextmanager
def _store() -> Iterator[Store]:
    from assistant.conversations import open_store

    store = open_store()
    try:
        for notice in store.take_notices():
            note(f"notice: {notice}")
        yield store
    finally:
        store.close()


@contextmanager
def _writable() -> Iterator[Store]:
    """A store whose changes last. Raises InputError, or the problem that came in between."""
    with _store() as store:
        if not store.saved:
            raise InputError(f"{store.path}: cannot be changed: see the notice")
        yield store
        for notice in store.take_notices():
            raise notice


def _record(talk: Conversation) -> dict[str, Any]:
    return asdict(talk)
