"""The runs of an answer that can be looked at: those of this session, and those kept on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.app.turn_record import RunRecord, TurnRecord
from vgpu.errors import InputError

if TYPE_CHECKING:
    from assistant.slash import Session
    from vgpu.program import Program


def runs_of(record: TurnRecord, session: Session, folder: Path) -> list[RunRecord]:
    """The answer's runs with program and trace; kept traces are unpacked into `folder`. Raises
    InputError when a kept run cannot be shown."""
    for number, run in enumerate(record.runs):
        if run.program is None and run.kept:
            run.program = _program(run.kernel, record)
            data = session.store.trace(session.conversation.id, record.message, run.kept)
            run.trace = folder / f"kept-{record.key}-{number}.jsonl"
            try:
                run.trace.write_bytes(data)
            except OSError as error:
                raise InputError(f"{run.trace}: cannot be written: {error.strerror}") from None
            run.passes = _passes(data)
    if not record.runs and record.computed:
        raise InputError("no trace of this run was kept: ask again (e on the answer)")
    return [run for run in record.runs if run.program is not None]


def _program(kernel: str, record: TurnRecord) -> Program:
    """The program that a kept trace is of."""
    import codegen

    if record.source:
        return codegen.compile_source(record.source, kernel)
    if kernel in codegen.catalog():
        return codegen.catalog()[kernel].program()
    raise InputError(f"the program of {kernel} was not kept: run it again")


def _passes(trace: bytes) -> int:
    try:
        return int(json.loads(trace.splitlines()[-1]).get("passes", 0))
    except (ValueError, IndexError, AttributeError):
        return 0
