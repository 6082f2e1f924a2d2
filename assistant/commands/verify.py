"""`assistant verify`: the network against its specification, or against case files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from assistant import config, sources
from assistant.commands import verify_fuzz, verify_text
from assistant.commands.options import Engine, Host, Json
from assistant.console import Progress, note, out, out_json
from vgpu.errors import InputError

_REFERENCE = "interpreter"
_ALL = "all"


def command(
    programs: Annotated[
        int | None, typer.Option("--programs", metavar="N", help="Random programs (200).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Their seed.")] = 1,
    cases: Annotated[
        Path | None, typer.Option("--cases", metavar="DIR", help="Run the case files in DIR.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE.jsonl", help="Re-execute a trace.")
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option("--oracle", metavar="cpu|nvrtc", help="With --cases: compare with an oracle."),
    ] = None,
    gpu: Annotated[
        bool, typer.Option("--gpu", help="With --cases: compare with this machine's GPU.")
    ] = False,
    fuzz_cuda: Annotated[
        int | None,
        typer.Option(
            "--fuzz-cuda", metavar="N", help="Random CUDA kernels, against a C++ compiler."
        ),
    ] = None,
    reduce: Annotated[
        bool, typer.Option("--reduce", help="With --fuzz-cuda: make failing kernels small.")
    ] = False,
    text: Annotated[
        bool, typer.Option("--text", help="Is the model's text, bit for bit, the host's own?")
    ] = False,
    host: Host = None,
    engine: Engine = None,
    json: Json = False,
) -> None:
    """Compare the network with the interpreter, word for word; run a folder of cases (--engine all:
    on every engine, comparing each word and all memory), or compare it with an oracle; compile
    random CUDA kernels for the machine and for the CPU; re-execute the words of a trace
    (run --trace); or compare the logits of text with the host's (--text)."""
    every = engine == _ALL and cases is not None
    settings = config.load({"engine": None if every else engine, "host": host})
    given = {
        "--programs": programs, "--cases": cases, "--replay": replay, "--fuzz-cuda": fuzz_cuda,
        "--text": text or None,
    }  # fmt: skip
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} exclude each other")
    if text or host is not None:
        verify_text.compare(settings, json, asked=text)
        return
    kind = "gpu" if gpu else oracle
    if kind is not None and cases is None:
        raise InputError(f"--{'gpu' if gpu else 'oracle'} compares case files: add --cases DIR")
    if reduce and fuzz_cuda is None:
        raise InputError("--reduce makes failing random kernels small: add --fuzz-cuda N")
    if kind is not None and cases is not None:
        report = _oracle(kind, cases, settings["engine"])
    elif fuzz_cuda is not None:
        report = verify_fuzz.fuzz(fuzz_cuda, seed, settings["engine"], reduce)
    elif replay is not None:
        report = _replay(replay, settings["engine"])
    elif cases is not None:
        report = _cases(cases, _ALL if every else settings["engine"])
    else:
        report = _programs(200 if programs is None else programs, seed, engine)
    for line in getattr(report, "notes", ()):
        note(line)
    if json:
        out_json({
            "passed": report.passed, "failed": report.failed, "names": list(report.names),
            "counts": report.counts, "reasons": getattr(report, "reasons", {}),
        })  # fmt: skip
    else:
        _print(report)
    if report.failed:
        raise typer.Exit(1)


def _programs(count: int, seed: int, engine: str | None) -> Any:
    if count < 1:
        raise InputError(f"--programs {count}: expected at least 1")
    if engine == _REFERENCE:
        raise InputError("--engine interpreter: it is what the others are compared with")
    from vgpu import verify
    from vgpu.engines import make_engine

    names = [_REFERENCE, engine] if engine else [_REFERENCE, "sparse", "dense"]
    note(f"comparing {', '.join(names)} on {count} random programs, seed {seed}")
    progress = Progress("programs")
    try:
        return verify.run_programs(count, seed, [make_engine(n) for n in names], progress)
    finally:
        progress.close()


def _cases(directory: Path, engine: str) -> Any:
    if not directory.is_dir():
        raise InputError(f"--cases {directory}: no such folder")
    from vgpu import verify
    from vgpu.engines import make_engine

    which: Any = engine
    if engine == _ALL:
        which = verify.Together([make_engine(n) for n in (_REFERENCE, "sparse", "dense")])
    progress = Progress("cases")
    try:
        return verify.run_cases(directory, which, sources.program, progress)
    finally:
        progress.close()


def _oracle(kind: str, directory: Path, engine: str) -> Any:
    """Results from outside this project: a C++ compiler, NVIDIA's compiler, a GPU."""
    from evals.oracle import compare, gpu
    from vgpu.verify import Report

    if kind not in compare.KINDS:
        raise InputError(f"--oracle {kind}: expected cpu or nvrtc")
    if not directory.is_dir():
        raise InputError(f"--cases {directory}: no such folder")
    if kind == "gpu" and gpu.device_name() is None:
        note("no CUDA device here (or no cuda-python): nothing was compared")
        return Report()
    progress = Progress("cases")
    try:
        report = compare.compare(kind, directory, engine, progress)
    finally:
        progress.close()
    note(f"oracle: {compare.about(kind)}")
    return report


def _replay(trace: Path, engine: str) -> Any:
    from vgpu import verify

    progress = Progress("records")
    try:
        return verify.run_replay(trace, engine, progress)
    finally:
        progress.close()


def _print(report: Any) -> None:
    reasons = getattr(report, "reasons", {})
    for name in report.names:
        out(f"failed: {name}{': ' + reasons[name] if name in reasons else ''}")
    counts = ", ".join(f"{_figure(v)} {name}" for name, v in report.counts.items())
    out(f"{report.passed} passed, {report.failed} failed ({counts})")


def _figure(value: float) -> str:
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"
