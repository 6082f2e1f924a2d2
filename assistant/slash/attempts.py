"""The programs that advanced mode wrote for an answer, from its record: listed, shown with what
the compiler said at its lines, and run again on the same data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assistant.conversations import Message
from assistant.launch import Launch
from assistant.slash.options import RunOptions
from assistant.slash.request import Request
from assistant.untrusted import clean
from vgpu.errors import InputError

Record = Mapping[str, Any]
Problem = tuple[int, int, str]  # line (0: the whole), column, message
FORMS: Final = ("cuda", "ptx", "asm")
EDITED: Final = "edited.cu"  # an attempt's name in messages once it is run again
_PLACE = re.compile(
    r"(?P<file>[\w.\-/]+):(?P<line>\d+)(?::(?P<column>\d+))?: (?:error: )?(?P<text>.*)"
)
_THREADS = 32  # of a block of an advanced kernel
_NONE: Final = "no answer here was computed by a written program: /mode advanced, then ask"


def latest(messages: Sequence[Message]) -> tuple[int, Record]:
    """Number and record of the last answer with attempts. Raises InputError when there is none."""
    for message in reversed(messages):
        if message.record and message.record.get("attempts"):
            return message.number, message.record
    raise InputError(_NONE)


def chosen(record: Record) -> Record | None:
    """The attempt that gave the figure; None when none did."""
    if not record.get("figures"):
        return None
    return next((a for a in _all(record) if a.get("number") == record.get("chosen")), None)


def problems(text: str) -> tuple[Problem, ...]:
    """`kernel.cu:5:10: message`, wherever it stands in lines of a message."""
    found = []
    for line in clean(text).splitlines():
        match = _PLACE.search(line)
        if match:
            found.append((int(match["line"]), int(match["column"] or 0), match["text"]))
    if not found and text.strip():
        found = [(0, 0, " ".join(clean(text).split()))]
    return tuple(found)


def line(attempt: Record) -> str:
    """What became of an attempt, for a person."""
    name = f"attempt {attempt.get('number', '?')}"
    if attempt.get("problem"):
        return f"{name}: {attempt.get('stage') or 'failed'}: {attempt['problem']}"
    if not attempt.get("passed"):
        return f"{name}: not done"
    checks = len(attempt.get("checks") or ())
    checked = f"passed {checks} checks · " if checks else ""
    return f"{name}: {checked}{attempt.get('passes', 0):,} passes"


def lines(record: Record) -> list[str]:
    """A line an attempt, the answer's marked."""
    mine = chosen(record)
    return [line(a) + (" · the answer's" if a is mine else "") for a in _all(record)]


def show(record: Record, argument: str) -> str:
    """For `/attempts [N [cuda|ptx|asm]]`. Raises InputError."""
    number, _, form = argument.partition(" ")
    if not number:
        listed = "\n".join(map(clean, lines(record)))
        return f"{listed}\n/attempts N shows its CUDA, /attempts N ptx|asm what became of it"
    found = next((a for a in _all(record) if str(a.get("number")) == number), None)
    form = form.strip() or "cuda"
    if found is None:
        raise InputError(f"/attempts {number}: there are {len(_all(record))}: /attempts lists them")
    if form not in FORMS:
        raise InputError(f"/attempts {number} {form}: expected {', '.join(FORMS)}")
    if form == "cuda":
        return _source(record, found)
    from assistant.advanced import attempts

    source = str(found.get("cuda", ""))
    if not found.get("compiled"):
        raise InputError(f"attempt {number} did not compile: /attempts {number} shows why")
    return clean(attempts.ptx(source) if form == "ptx" else attempts.listing(_program(source)))


def _program(source: str) -> Any:
    import codegen

    return codegen.compile_source(source, name=EDITED)


def _source(record: Record, attempt: Record) -> str:
    """The CUDA, each problem in a comment beneath its line; the first line holds the options, so
    that a copy that is changed and pasted runs on the same data."""
    told = [p for p in problems(str(attempt.get("problem") or "")) if p[0]]
    said = [line(attempt)] if attempt.get("problem") and not told else []
    shown = [f"// {text}" for text in said]
    for number, text in enumerate(str(attempt.get("cuda", "")).rstrip().splitlines(), 1):
        shown.append(text)
        shown += [
            f"//{' ' * max(column - 3, 0)}^ {message}"
            for at, column, message in told
            if at == number
        ]
    return clean("\n".join([f"// {options_line(launch_of(record, attempt))}", *shown]))


def again(record: Record, attempt: Record, source: str) -> Request:
    """What runs a source, an attempt as it was or as a person has changed it, on the data of the
    answer. Raises InputError when they were not kept."""
    task = {**(record.get("task") or {}), "gives": str(attempt.get("gives") or "out[0]")}
    options = RunOptions(launch=launch_of(record, attempt))
    return Request(Path(EDITED), options, source, task)


def launch_of(record: Record, attempt: Record) -> Launch:
    """The launch of an attempt on the data of its answer. Raises InputError."""
    from assistant.advanced import extent as extents
    from assistant.advanced.task import of_answer

    task = of_answer(record.get("task") or {})
    scalars = [p.name for p in task.signature.scalars]
    extent = extents.parse(str(attempt.get("gives") or "out[0]"), scalars)
    ins, outs, sets = [], [], []
    for parameter in task.signature.parameters:
        name = f"{parameter.name}:{parameter.element}"
        if parameter.name == task.signature.out.name:
            outs.append(f"{name}={extent.room(task.inputs)}")
        elif parameter.pointer:
            values: Any = task.inputs[parameter.name]
            ins.append(f"{name}={','.join(map(str, values or [0]))}")
        else:
            sets.append(f"{name}={task.inputs[parameter.name]}")
    return Launch((1, 1, 1), (_THREADS, 1, 1), 0, tuple(ins), tuple(outs), tuple(sets))


def options_line(launch: Launch) -> str:
    """The launch as `/run` and a paste's first line take it."""
    given = [(name, values) for name, values in (
        ("--in", launch.ins), ("--set", launch.sets), ("--out", launch.outs)
    )]  # fmt: skip
    words = [f"{name} {value}" for name, values in given for value in values]
    return " ".join([f"--block {launch.block[0]}", *words])


def _all(record: Record) -> list[Record]:
    return [a for a in record.get("attempts") or () if isinstance(a, Mapping)]
