"""The kernels of an answer, as they are shown, edited and run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.app.clean import clean
from assistant.app.turn_record import TurnRecord
from assistant.slash import attempts
from assistant.slash.attempts import problems
from vgpu.errors import VgpuError

if TYPE_CHECKING:
    from assistant.slash import Request
    from vgpu.program import Program

__all__ = ["Forms", "Shown", "forms", "has_kernels", "problems", "request_of", "shown_of"]


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
    return [_attempt(attempt, record.chosen) for attempt in record.attempts]


def first_of(record: TurnRecord) -> int:
    """The index of the kernel that is shown first: the answer's, else the last."""
    numbers = [attempt.get("number") for attempt in record.attempts]
    return numbers.index(record.chosen) if record.chosen in numbers else max(len(numbers) - 1, 0)


def _attempt(attempt: Mapping[str, Any], chosen: int) -> Shown:
    problem = str(attempt.get("problem") or "")
    state = "passed" if attempt.get("passed") else str(attempt.get("stage") or "not done")
    state += " · answer" if attempt.get("number") == chosen else ""
    return Shown(
        f"{attempt.get('number', '?')} {state}", clean(str(attempt.get("cuda", ""))),
        problems(problem), str(attempt.get("gives", "")),
    )  # fmt: skip


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
        return replace(record.request, source=source, file=Path(attempts.EDITED))
    task = record.written.get("task")
    if record.attempts and not task:  # it was stopped before it had an answer
        from assistant.advanced.task import read_task

        task = read_task(record.question).record()
    if not task:
        from assistant.slash import Request

        return Request(Path(attempts.EDITED), source=source)
    gives = shown.gives or task.get("gives")
    return attempts.again({"task": task}, {"gives": gives}, source)
