"""Scores advanced mode on a file of tasks: `assistant eval advanced`.

A program is right when its results are the expected ones on the inputs shown and on every hidden
one. A task is right when its program is, and its figure was given as the answer. `first_try` and
`within` look at programs alone: the first one written, and any of them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assistant.advanced import write
from assistant.advanced.attempts import Attempt, Bench, Failed
from assistant.advanced.mode import AdvancedMode
from assistant.advanced.task import Task, checked_inputs, of_record
from assistant.advanced.write import Draft, Order
from evals import records
from vgpu.errors import InputError, VgpuError

HERE = Path(__file__).parent
DEFAULT = HERE / "questions" / "advanced5.json"
KERNELS = HERE / "kernels"
ORACLE = "oracle"
_NEEDED = {"id", "task", "signature", "output", "inputs", "answer"}
Progress = Callable[[int, int, str], None]


class Oracle:
    """Writes the reference kernels of a folder: NAME.cu, and NAME_again.cu, written otherwise."""

    label = ORACLE

    def __init__(self, folder: Path = KERNELS) -> None:
        self._folder, self._written = folder, 0

    def load(self) -> None:
        return None

    def write(self, order: Order, cancelled: threading.Event) -> Draft:
        """Raises InputError when there is no reference for the task."""
        name = order.task.signature.name
        suffix = "_again" if order.seed % 2 == 0 else ""
        path = self._folder / f"{name}{suffix}.cu"
        if not path.exists():
            raise InputError(f"{path}: no such reference kernel; --host oracle needs one")
        return write.read(path.read_text(encoding="utf-8"), order.task, 1.0)


def load(path: Path) -> list[dict[str, Any]]:
    """The tasks of a file. Raises InputError when it is none, or a task of it cannot be one."""
    found = records.load(path, "task", _NEEDED)
    for record in found:
        try:
            task = of_record(record)
            for hidden in record.get("hidden_inputs", ()):
                checked_inputs(task.signature, hidden["inputs"])
        except InputError as error:
            raise InputError(f"{path}: task {record['id']}: {error}") from None
        except (KeyError, TypeError):
            raise InputError(f"{path}: task {record['id']}: not of the form of a task") from None
    return found


def evaluate(
    tasks: Sequence[dict[str, Any]], mode: AdvancedMode, progress: Progress | None = None
) -> dict[str, Any]:
    """The shape of `eval --json`, with what became of the programs."""
    items: list[dict[str, Any]] = []
    started = time.perf_counter()
    for done, record in enumerate(tasks, start=1):
        items.append(_item(record, mode))
        if progress is not None:
            progress(done, len(tasks), record["id"])
    programs = [program for item in items for program in item["programs"]]
    return {
        "right": sum(item["right"] for item in items),
        "total": len(items),
        "shown_wrong": sum(item["shown"] and not item["right"] for item in items),
        "shown": sum(item["shown"] for item in items),
        "first_try": sum(item["first_try"] for item in items),
        "within": sum(item["within"] for item in items),
        "attempts": mode.limits.attempts,
        "programs": len(programs),
        "compiled": sum(program["compiled"] for program in programs),
        "reasons": dict(Counter(p["stage"] for p in programs if p["stage"]).most_common()),
        "host": mode.writer.label,
        "seed": mode.limits.seed,
        "seconds": time.perf_counter() - started,
        "items": items,
    }


def _item(record: dict[str, Any], mode: AdvancedMode) -> dict[str, Any]:
    """The record of one task."""
    task = of_record(record)
    try:
        answer = mode.answer(task)
    except VgpuError as error:
        return _failed(record, str(error))
    bench = Bench(mode.machine, mode.config["advanced.max_passes"])
    wrong = [_wrong(attempt, task, record, bench) for attempt in answer.attempts]
    programs = [
        attempt.record() | {"right": not reason, "wrong": reason}
        for attempt, reason in zip(answer.attempts, wrong, strict=True)
    ]
    chosen = answer.chosen.number - 1 if answer.chosen is not None else None
    reason = "no program" if chosen is None else wrong[chosen]
    if not answer.ok:
        reason = answer.doubt if not reason else f"{answer.doubt}; the best program: {reason}"
    return {
        "id": record["id"],
        "question": record["task"],
        "right": answer.ok and not reason,
        "shown": answer.ok,
        "answer": answer.figure if answer.ok else answer.text,
        "expected": record["answer"],
        "calls": [f"{task.signature.name}({task.data})"] if answer.ok else [],
        "first_try": bool(programs) and programs[0]["right"],
        "within": any(program["right"] for program in programs),
        "passes": answer.chosen.passes if answer.chosen is not None else 0,
        "seconds": answer.seconds,
        "reason": reason,
        "programs": programs,
    }


def _failed(record: dict[str, Any], reason: str) -> dict[str, Any]:
    return {
        "id": record["id"], "question": record["task"], "right": False, "shown": False,
        "answer": "", "expected": record["answer"], "calls": [], "first_try": False,
        "within": False, "passes": 0, "seconds": 0.0, "reason": reason, "programs": [],
    }  # fmt: skip


def _wrong(attempt: Attempt, task: Task, record: dict[str, Any], bench: Bench) -> str:
    """Why the attempt's program is not right, in a line; empty when it is."""
    if attempt.program is None or attempt.stage in ("compile", "data"):
        return f"{attempt.stage}: {attempt.problem}"
    shown = [{"inputs": record["inputs"], "answer": record["answer"]}]
    for number, case in enumerate([*shown, *record.get("hidden_inputs", ())]):
        name = f"hidden input {number}" if number else "the input shown"
        inputs = checked_inputs(task.signature, case["inputs"])
        expected = case["answer"]
        wanted = tuple(expected) if isinstance(expected, list) else (expected,)
        try:
            out = bench.run(attempt.program, task, attempt.draft.extent, inputs).out
        except Failed as failed:
            return f"{failed.stage}: {failed.problem} ({name})"
        if out != wanted:
            return f"wrong result on {name}: {_few(out)}, expected {_few(wanted)}"
    return ""


def _few(values: Sequence[int]) -> str:
    more = ", …" if len(values) > 10 else ""
    return ", ".join(map(str, values[:10])) + more
