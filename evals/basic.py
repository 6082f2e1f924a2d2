"""Scores basic mode on a file of questions, by value: `assistant eval basic`.

A question is right when the figures that the machine gave are the expected ones; one with nothing
to compute is right when nothing was computed; one tagged "overflow" also when that is said.
`shown_wrong` counts figures that were presented as computed and are not the expected ones.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assistant.answer import Answer, Assistant
from assistant.router import Call
from evals import records
from vgpu.errors import VgpuError

QUESTIONS = Path(__file__).parent / "questions"
DEFAULT = QUESTIONS / "basic24.json"
# The kernels as question files name them, where this package has other names.
_NAMES = {"pow": "power", "fact": "factorial", "fib": "fibonacci"}
_TIME = re.compile(r"(\d+):(\d\d)(?::(\d\d))?")
_NEEDED = {"id", "question", "answer", "calls", "tags"}
Progress = Callable[[int, int, str], None]


def load(path: Path) -> list[dict[str, Any]]:
    """The questions of a file. Raises InputError when it is none."""
    return records.load(path, "question", _NEEDED)


def gold_kernels(question: dict[str, Any]) -> list[str]:
    """The kernels of the expected calls, in this package's names, sorted."""
    names = (n for call in question["calls"] for n in re.findall(r"([a-z]\w*)\(", call))
    return sorted(_NAMES.get(name, name) for name in names)


def called_kernels(calls: Sequence[Call]) -> list[str]:
    """The kernels of the calls that were made, inner ones too, sorted."""
    return sorted(re.findall(r"([a-z]\w*)\(", " ".join(map(str, calls))))


def score(question: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """The record of one question."""
    figures = [c.figure for c in answer.computed if c.problem is None]
    expected = question["answer"]
    wanted = [] if not question["calls"] else expected if len(question["calls"]) > 1 else [expected]
    if not question["calls"]:
        right = not answer.computed
    elif "overflow" in question["tags"] and answer.computed and not figures:
        right = all("does not fit" in (c.problem or "") for c in answer.computed)
    else:
        right = len(figures) == len(wanted) and all(map(_same, figures, wanted))
    return {
        "id": question["id"],
        "question": question["question"],
        "right": right,
        "answer": answer.text,
        "expected": expected,
        "calls": [str(c.call) for c in answer.computed],
        "kernels": called_kernels([c.call for c in answer.computed]),
        "gold": gold_kernels(question),
        "passes": sum(c.passes for c in answer.computed),
        "seconds": answer.seconds,
        "reason": "" if right else _reason(question, answer, figures),
        "wrong": bool(figures) and not right,
        "verdict": answer.routed.verdict,
        "confidence": answer.routed.confidence,
    }


def _same(figure: Any, expected: Any) -> bool:
    if isinstance(expected, str):
        return _plain(str(figure)) == _plain(expected)
    return bool(figure == expected)


def _plain(text: str) -> str | tuple[int, ...]:
    """Times by their value: 2:05, 02:05 and 2:05:00 are one."""
    parts = _TIME.fullmatch(text)
    return tuple(int(part or 0) for part in parts.groups()) if parts else text.lower()


def _reason(question: dict[str, Any], answer: Answer, figures: Sequence[Any]) -> str:
    """Where it went wrong: routing, arguments or machine, and how."""
    if not question["calls"]:
        return f"routing: computed {'; '.join(str(c.call) for c in answer.computed)}"
    if answer.routed.verdict == "chat":
        return "routing: taken for talk"
    if answer.routed.verdict == "unsure":
        return f"routing: declined, {answer.routed.reason}"
    calls = [c.call for c in answer.computed]
    if called_kernels(calls) != gold_kernels(question):
        return f"routing: {'; '.join(map(str, calls))} for {'; '.join(question['calls'])}"
    problems = [c.problem for c in answer.computed if c.problem]
    if problems:
        return f"machine: {problems[0]}"
    return f"arguments: {'; '.join(map(str, calls))} for {'; '.join(question['calls'])}"


def evaluate(
    questions: Sequence[dict[str, Any]], assistant: Assistant, progress: Progress | None = None
) -> dict[str, Any]:
    """{"right", "total", "shown_wrong", "items", "router", "host", "seconds"}."""
    items: list[dict[str, Any]] = []
    started, router = time.perf_counter(), ""
    for done, question in enumerate(questions, start=1):
        try:
            answer = assistant.answer(question["question"])
            router = answer.routed.router
            items.append(score(question, answer))
        except VgpuError as error:
            items.append(_failed(question, error))
        if progress is not None:
            progress(done, len(questions), question["id"])
    return {
        "right": sum(item["right"] for item in items),
        "total": len(items),
        "shown_wrong": sum(item["wrong"] for item in items),
        "host": assistant.host.label,
        "router": router,
        "seconds": time.perf_counter() - started,
        "items": items,
    }


def _failed(question: dict[str, Any], error: VgpuError) -> dict[str, Any]:
    return {
        "id": question["id"], "question": question["question"], "right": False, "answer": "",
        "expected": question["answer"], "calls": [], "kernels": [],
        "gold": gold_kernels(question), "passes": 0, "seconds": 0.0,
        "reason": f"machine: {error}", "wrong": False, "verdict": "failed", "confidence": 0.0,
    }  # fmt: skip


def compare(before: dict[str, Any], after: dict[str, Any]) -> dict[str, list[str]]:
    """The questions that changed between two results, and those that only one of them has."""
    first = {item["id"]: item["right"] for item in before["items"]}
    second = {item["id"]: item["right"] for item in after["items"]}
    both = [name for name in first if name in second]
    return {
        "better": [name for name in both if second[name] and not first[name]],
        "worse": [name for name in both if first[name] and not second[name]],
        "only_before": [name for name in first if name not in second],
        "only_after": [name for name in second if name not in first],
    }
