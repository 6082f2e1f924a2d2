"""Scores the assistant on a file of questions, by value: `python -m evals.basic FILE [--kernels]`.

A question counts as right when the figures that the machine gave are the expected ones (or, for a
question with nothing to compute, when nothing was computed; for one tagged "overflow", when that is
said). `shown_wrong` counts figures that
were presented as computed and are not the expected ones.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant import config
from assistant.answer import Answer, Assistant
from assistant.console import Progress, out_json
from vgpu.errors import VgpuError

_NAMES = {"pow": "power", "fact": "factorial", "fib": "fibonacci"}


def needed_kernels(question: dict[str, Any]) -> set[str]:
    """The kernels that the gold calls use, in this package's names."""
    names = {n for call in question["calls"] for n in re.findall(r"([a-z]\w*)\(", call)}
    return {_NAMES.get(name, name) for name in names}


def single(question: dict[str, Any]) -> bool:
    """One call, not nested."""
    return len(question["calls"]) == 1 and question["calls"][0].count("(") == 1


def score(question: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """The record of one question."""
    figures = [c.figure for c in answer.computed if c.problem is None]
    expected = question["answer"]
    if "overflow" in question.get("tags", ()) and answer.computed and not figures:
        right = all("does not fit" in (c.problem or "") for c in answer.computed)
    elif question["calls"]:
        right = figures == [expected] or (len(question["calls"]) > 1 and figures == expected)
    else:
        right = not answer.computed
    return {
        "id": question["id"],
        "right": right,
        "answer": answer.text,
        "expected": expected,
        "calls": [str(c.call) for c in answer.computed],
        "passes": sum(c.passes for c in answer.computed),
        "seconds": answer.seconds,
        "reason": answer.routed.reason,
        "wrong": bool(figures) and not right,
        "confidence": answer.routed.confidence,
    }


def evaluate(questions: Sequence[dict[str, Any]], assistant: Assistant) -> dict[str, Any]:
    """{"right", "total", "shown_wrong", "items"}."""
    progress, items = Progress("questions"), []
    for done, question in enumerate(questions, start=1):
        try:
            items.append(score(question, assistant.answer(question["question"])))
        except VgpuError as error:
            items.append({"id": question["id"], "right": False, "wrong": False,
                          "expected": question["answer"], "reason": str(error)})  # fmt: skip
        progress(done, len(questions))
    progress.close()
    return {
        "right": sum(item["right"] for item in items),
        "total": len(items),
        "shown_wrong": sum(item["wrong"] for item in items),
        "items": items,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    import codegen

    parser = argparse.ArgumentParser(prog="python -m evals.basic", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--kernels", action="store_true", help="only questions of one call to a prebuilt kernel"
    )
    given = parser.parse_args(arguments)
    questions = json.loads(given.file.read_text(encoding="utf-8"))
    if given.kernels:
        known = set(codegen.catalog())
        questions = [q for q in questions if single(q) and needed_kernels(q) <= known]
    out_json(evaluate(questions, Assistant(config.load())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
