"""The kernels of an answer, as they are shown, edited and run again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.app.clean import clean
from assistant.app.turn_record import TurnRecord
from vgpu.errors import InputError, VgpuError

if TYPE_CHECKING:
    from assistant.slash import Request
    from vgpu.program import Program

_PLACE = re.compile(r"(?P<file>[\w.\-/]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<text>.*)")
_THREADS = 32  # of a block of an advanced kernel


@dataclass(frozen=True)
class Shown:
    """One kernel: an attempt of advanced mode, or the source that was run. `problems` are
    (line, column, message); line 0 is the whole."""

    title: str
    source: str
    problems: tuple[tuple[int, int, str], ...] = ()
    gives: str = ""  # which numbers of `out` are the result


def has_kernels(record: TurnRecord) -> bool:
    return bool(record.attempts or record.source)


def shown_of(record: TurnRecord) -> list[Shown]:
    """The kernels of an answer, in the order in which they were tried."""
    if not record.attempts:
        return [Shown("kernel", clean(record.source), problems(record.problem))]
    return [_attempt(attempt) for attempt in record.attempts]


def _attempt(attempt: Mapping[str, Any]) -> Shown:
    problem = str(attempt.get("problem") or "")
    state = "passed" if attempt.get("passed") else str(attempt.get("stage") or "failed")
    return Shown(
        f"{attempt.get('number', '?')} {state}", clean(str(attempt.get("cuda", ""))),
        problems(problem), str(attempt.get("gives", "")),
    )  # fmt: skip


def problems(text: str) -> tuple[tuple[int, int, str], ...]:
    """`kernel.cu:5:10: message`, wherever it stands in lines of a message."""
    found = []
    for line in clean(text).splitlines():
        match = _PLACE.search(line)
        if match:
            found.append((int(match["line"]), int(match["column"] or 0), match["text"]))
    if not found and text.strip():
        found = [(0, 0, " ".join(clean(text).split()))]
    return tuple(found)


@dataclass(frozen=True)
class Forms:
    """What the compiler made of a source."""

    ptx: str = ""
    listing: str = ""
    problems: tuple[tuple[int, int, str], ...] = ()


def forms(source: str, settings: Mapping[str, Any], name: str = "kernel.cu") -> Forms:
    """Compiles a source: tens of ms, or a second the first time. Never raises a VgpuError."""
    import codegen
    from codegen import front
    from codegen.clang import Options
    from codegen.listing import show_asm

    try:
        program: Program = codegen.compile_source(
            source, None, name, via=settings["via"], clang=settings["clang"]
        )
        ptx = front.compile_unit(source, name, None, Options()).ptx
    except VgpuError as error:
        details = str(getattr(error, "details", ""))
        told = problems(str(error)) + tuple(p for p in problems(details) if p[0])
        return Forms(problems=tuple(dict.fromkeys(told)))
    return Forms(clean(ptx), clean(show_asm(program)))


def request_of(record: TurnRecord, shown: Shown, source: str) -> Request:
    """What runs an edited source again, on the same data. Raises InputError."""
    from assistant.slash import Request

    if record.request is not None:
        return replace(record.request, source=source, file=Path("edited.cu"))
    if not record.attempts:
        return Request(Path("edited.cu"), source=source)
    return Request(Path("edited.cu"), _options(record, shown), source)


def _options(record: TurnRecord, shown: Shown) -> Any:
    """The launch of an advanced kernel on the data of its question."""
    from assistant.advanced import extent as extents
    from assistant.advanced.task import read_task
    from assistant.launch import Launch
    from assistant.slash.options import RunOptions

    task = record.advanced.task if record.advanced is not None else read_task(record.question)
    scalars = [p.name for p in task.signature.scalars]
    try:
        extent = extents.parse(shown.gives or "out[0]", scalars)
    except InputError:
        extent = extents.Extent()
    ins, outs, sets = [], [], []
    for parameter in task.signature.parameters:
        if parameter is task.signature.out or parameter.name == task.signature.out.name:
            outs.append(f"{parameter.name}:{parameter.element}={extent.room(task.inputs)}")
        elif parameter.pointer:
            values: Any = task.inputs[parameter.name]
            ins.append(f"{parameter.name}:{parameter.element}={','.join(map(str, values or [0]))}")
        else:
            sets.append(f"{parameter.name}:{parameter.element}={task.inputs[parameter.name]}")
    launch = Launch((1, 1, 1), (_THREADS, 1, 1), 0, tuple(ins), tuple(outs), tuple(sets))
    return RunOptions(launch=launch)
