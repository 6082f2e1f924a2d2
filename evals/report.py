"""The HTML report of an evaluation: every question, the confusion of kernels, the calibration."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape

BINS = 10


def write(result: Mapping[str, Any], title: str, folder: Path) -> Path:
    """Writes result.json and report.html into `folder`; the path of the latter."""
    values = {
        "title": title,
        "result": result,
        "confusion": confusion(result["items"]),
        "calibration": calibration(result["items"]),
    }
    return _page("report.html", values, folder)


def write_advanced(result: Mapping[str, Any], title: str, folder: Path) -> Path:
    """As `write`, for an evaluation of advanced mode: each task with each of its programs."""
    return _page("report_advanced.html", {"title": title, "result": result}, folder)


def _page(template: str, values: Mapping[str, Any], folder: Path) -> Path:
    """Writes the result and the page that a template makes of it; the path of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(values["result"], ensure_ascii=False, indent=1)
    (folder / "result.json").write_text(text, encoding="utf-8")
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=select_autoescape(["html"])
    )
    path = folder / "report.html"
    path.write_text(environment.get_template(template).render(**values), encoding="utf-8")
    return path


def confusion(items: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, int]]:
    """(expected, chosen, how often) for all that differ, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    for item in items:
        gold, chosen = list(item["gold"]), list(item["kernels"])
        for kernel in list(gold):
            if kernel in chosen:
                gold.remove(kernel)
                chosen.remove(kernel)
        if gold or chosen:
            counts[" + ".join(gold) or "nothing", " + ".join(chosen) or item["verdict"]] += 1
    return [(gold, chosen, count) for (gold, chosen), count in counts.most_common()]


def calibration(items: Sequence[Mapping[str, Any]]) -> list[tuple[float, float, int]]:
    """(mean confidence, share right, count) for each tenth of confidence that occurs.

    Right means that what the router would have done was right; a question that was declined counts
    by its answer, which is wrong.
    """
    bins: dict[int, list[tuple[float, bool]]] = {}
    for item in items:
        index = min(int(item["confidence"] * BINS), BINS - 1)
        bins.setdefault(index, []).append((item["confidence"], item["right"]))
    return [
        (
            sum(confidence for confidence, _ in found) / len(found),
            sum(right for _, right in found) / len(found),
            len(found),
        )
        for _, found in sorted(bins.items())
    ]
