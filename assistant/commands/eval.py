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
    mode: Annotated[str, typer.Argument(metavar="basic|advanced", help="What is evaluated.")],
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
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", help="Advanced mode: of the sampler.", min=0),
    ] = None,
    json: Json = False,
) -> None:
    """Answer a file of questions and score the answers by value."""
    if mode not in ("basic", "advanced"):
        raise InputError(f"eval {mode}: expected basic or advanced")
    if compare is not None:
        _compare(*compare, json)
        return
    if mode == "advanced":
        _advanced(questions, report, host, engine, seed, json)
        return
    if seed is not None:
        raise InputError("--seed is for advanced mode: basic mode draws nothing")
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


def _advanced(
    questions: Path | None,
    report: Path | None,
    host: str | None,
    engine: str | None,
    seed: int | None,
    json: bool,
) -> None:
    from assistant.advanced.mode import AdvancedMode
    from evals import advanced

    path = questions or advanced.DEFAULT
    records = advanced.load(path)
    oracle = host == advanced.ORACLE
    settings = config.load(
        {"host": None if oracle else host, "engine": engine, "advanced.seed": seed}
    )
    mode = AdvancedMode(settings, writer=advanced.Oracle() if oracle else None)
    progress = Progress("tasks")
    try:
        result = advanced.evaluate(records, mode, progress)
    finally:
        progress.close()
    if report is not None:
        from evals.report import write_advanced

        title = f"eval advanced: {path.stem}"
        note(f"report: {write_advanced(result, title, report)}")
    if json:
        out_json(result)
    else:
        _print_advanced(result)


def _print_advanced(result: dict[str, Any]) -> None:
    for item in result["items"]:
        mark = "right" if item["right"] else "WRONG" if item["shown"] else "not  "
        line = f"{mark} {item['id']}  {len(item['programs'])} programs · {item['passes']} passes"
        out(
            f"{line} · {item['seconds']:.1f} s"
            + (f"  [{item['reason']}]" if item["reason"] else "")
        )
    out(
        f"{result['right']} of {result['total']} right, {result['shown_wrong']} wrong figures "
        f"shown; a right program at the first try for {result['first_try']}, within "
        f"{result['attempts']} for {result['within']}; {result['compiled']} of "
        f"{result['programs']} programs compile ({result['host']}, seed {result['seed']}, "
        f"{result['seconds']:.1f} s)"
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
