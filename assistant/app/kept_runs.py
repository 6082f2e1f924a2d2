"""The runs of an answer that can be looked at: those of this session, and those kept on disk."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.app.turn_record import RunRecord, TurnRecord
from assistant.events import Tried
from vgpu.errors import InputError

if TYPE_CHECKING:
    from assistant.slash import Session, Work
    from vgpu.program import Program


Steps = Callable[[Any, threading.Event], Iterator[Any]]
MOST_KEPT = 1 << 20  # bytes of a trace that is kept without being asked for
MOST_RUNS = 8  # of an answer


def keeping(work: Work, session: Session) -> Steps:
    """The work's steps; at their end the traces of its runs are kept with the answer."""

    def kept(assistant: Any, cancelled: threading.Event) -> Iterator[Any]:
        take = getattr(assistant.machine, "take_finished", list)
        take()
        talk = work.conversation
        tried: list[tuple[int, str, Path]] = []
        for event in work.steps(assistant, cancelled):
            if isinstance(event, Tried):
                tried += _of_attempt(event, take())
            yield event
        finished = tried or [(n, kernel, path) for n, (kernel, path) in enumerate(take(), 1)]
        finished = [each for each in finished if _size(each[2]) <= MOST_KEPT][:MOST_RUNS]
        messages = session.store.messages(talk) if finished and talk else []
        if messages and messages[-1].role == "assistant":
            for number, kernel, path in finished:
                name = f"{number}-{kernel}.jsonl"
                session.store.keep_trace(talk, messages[-1].number, name, path.read_bytes())

    return kept


def _of_attempt(event: Tried, finished: list[tuple[str, Path]]) -> list[tuple[int, str, Path]]:
    """The run of an attempt on the person's data, when it is done. The traces of its self-check,
    which are many, are deleted as soon as it is over."""
    if event.step == "done" and event.record.get("passed"):
        return [(event.number, kernel, path) for kernel, path in finished]
    for _, path in finished:
        with contextlib.suppress(OSError):
            path.unlink()
    return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return MOST_KEPT + 1


def runs_of(record: TurnRecord, session: Session, folder: Path) -> list[RunRecord]:
    """The answer's runs with program and trace; kept traces are unpacked into `folder`. Raises
    InputError when a kept run cannot be shown."""
    for number, run in enumerate(record.runs):
        if run.program is None and run.kept:
            run.program = _program(run, record)
            data = session.store.trace(session.conversation.id, record.message, run.kept)
            run.trace = folder / f"kept-{record.key}-{number}.jsonl"
            try:
                run.trace.write_bytes(data)
            except OSError as error:
                raise InputError(f"{run.trace}: cannot be written: {error.strerror}") from None
            run.passes = _passes(data)
    if not record.runs and record.computed:
        raise InputError("no trace of this run was kept: ask again (e on the answer)")
    shown = [run for run in record.runs if run.program is not None]
    traces = [run.trace for run in shown if run.trace is not None and not run.live]
    if traces and not any(trace.exists() for trace in traces):
        raise InputError(
            "the trace of this run gave way to newer ones: ask again (e on the answer)"
        )
    return shown


def _program(run: RunRecord, record: TurnRecord) -> Program:
    """The program that a kept trace is of."""
    import codegen

    kernel = run.kernel
    written = (str(a.get("cuda", "")) for a in record.attempts if a.get("number") == run.attempt)
    source = record.source or next(written, "")
    if source:
        return codegen.compile_source(source, kernel)
    if kernel in codegen.catalog():
        return codegen.catalog()[kernel].program()
    raise InputError(f"the program of {kernel} was not kept: run it again")


def _passes(trace: bytes) -> int:
    try:
        return int(json.loads(trace.splitlines()[-1]).get("passes", 0))
    except (ValueError, IndexError, AttributeError):
        return 0
