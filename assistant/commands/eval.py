"""`assistant eval`: how well the assistant does on questions whose answers are known."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant import config
from assistant.commands.options import Engine, Host, Json
from assistant.console import Progress, note, out, out_json
from vgpu.errors import InputError


def command(
    mode: Annotated[str, typer.Argument(metavar="basic", help="What is evaluated.")],
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE.json", help="Other questions.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="DIR", help="Write an HTML report there.")
    ] = None,
    compare: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--compare", metavar="A.json B.json", help="Compare two results instead."),
    ] = None,
    host: Host = None,
    engine: Engine = None,
    json: Json = False,
) -> None:
    """Answer a file of questions and score the answers by value."""
    if mode != "basic":
        raise InputError(f"eval {mode}: expected basic")
    if compare is not None:
        _compare(*compare, json)
        return
    from assistant.answer import Assistant
    from evals import basic

    path = questions or basic.DEFAULT
    records = basic.load(path)
    settings = config.load({"host": host, "engine": engine})
    progress = Progress("questions")
    try:
        result = basic.evaluate(records, Assistant(settings), progress)
    finally:
        progress.close()
    if report is not None:
        from evals.report import write

        note(f"report: {write(result, f'eval basic: {path.stem}', report)}")
    if json:
        out_json(result)
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    for item in result["items"]:
        mark = "right" if item["right"] else "WRONG" if item["wrong"] else "not  "
        calls = "; ".join(item["calls"]) or item["verdict"]
        line = f"{mark} {item['id']}  {calls} · {item['passes']} passes · {item['seconds']:.2f} s"
        out(line + (f"  [{item['reason']}]" if item["reason"] else ""))
    out(
        f"{result['right']} of {result['total']} right, {result['shown_wrong']} wrong figures "
        f"shown ({result['host']}, {result['router']}, {result['seconds']:.1f} s)"
    )


def _compare(before: Path, after: Path, json: bool) -> None:
    from evals import basic

    results = []
    for path in (before, after):
        try:
            result = jsonlib.loads(path.read_text(encoding="utf-8"))
            results.append(result if "items" in result else {}["items"])
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{path}: not a result; make one with eval --json") from None
    changes = basic.compare(*results)
    if json:
        out_json(changes)
        return
    for name, ids in changes.items():
        out(f"{name}: {' '.join(ids) or 'none'}")
