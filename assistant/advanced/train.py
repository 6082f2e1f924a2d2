"""Trains the writer of kernels of a small host on lessons.

    python -m assistant.advanced.train -o FILE [--host H] [--steps 1000] [--from FILE]

Whole families of lessons (a task with its pieces, in any wording) are held out, and what the
figure says is how many of those got exactly their program.
The file holds both networks and that figure.
"""

from __future__ import annotations

import argparse
import itertools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.advanced.heard import KINDS, Heard, heard
from assistant.advanced.learned import LearnedWriter
from assistant.advanced.lessons import rows
from assistant.advanced.lessons.lesson import Lesson, held_out, lessons
from assistant.reading import kept
from assistant.reading.calibration import Calibration, bins, fitted
from assistant.reading.kept import Fit
from assistant.reading.training import Trainer, batches

SEED = 1
PROBED, MEASURED_ON = 1001, 1002  # seeds of held-out lessons
STEPS = 1000
BATCH = 32
SHOWN = 24_000
RATE = 1.5e-3
RANK = 16
LAYERS = (1, 10, 15)
ADAPTED = 6
MEASURED = 400  # held-out lessons that the figure and the calibration rest on


@dataclass(frozen=True)
class Sample:
    message: Heard
    row: tuple[str, ...]
    family: str


def sample(lesson: Lesson) -> Sample:
    return Sample(heard(lesson.task), rows.row_of(lesson), lesson.family)


def drawn(seed: int, *, held: bool) -> Iterator[Sample]:
    """Samples of the held-out families, or of all others."""
    return (sample(one) for one in lessons(seed) if held_out(one.family) == held)


def fit(
    host: Any, steps: int, *, rate: float = RATE, seed: int = SEED, earlier: Fit | None = None
) -> Trainer:
    """`earlier`: goes on from there; give another seed for other lessons."""
    import torch

    torch.manual_seed(seed)
    trainer = Trainer(
        host, rows.VOCABULARY, RANK, adapted=ADAPTED, layers=LAYERS, kinds=KINDS,
        most=rows.MOST_SYMBOLS,
    )  # fmt: skip
    if earlier is not None:
        trainer.take(earlier)
    # Lessons that are read again cost less; most are read once.
    shown = list(itertools.islice(drawn(seed, held=False), min(SHOWN, steps * BATCH)))
    probe = list(itertools.islice(drawn(PROBED, held=True), 200))
    _say(f"{len(shown):,} lessons shown, {steps:,} steps")
    trainer.run(batches(shown, seed, BATCH), steps, rate=rate, say=_say, probe=probe, every=250)
    return trainer


def measured(host: Any, draft: Path, report: dict[str, Any]) -> Fit:
    """The fit with what it does on held-out lessons, written as a user's kernel is, and calibrated
    on them."""
    writer, asked = LearnedWriter(host, draft), drawn(MEASURED_ON, held=True)
    said, right = [], []
    for one, _ in zip(asked, range(MEASURED), strict=False):
        row, probability = writer.row(one.message, None, threading.Event())
        said.append(probability)
        right.append(tuple(row) == one.row)
    calibration = fitted(said, right)
    fit = kept.load(draft, host.load()[0].base_model.layers)
    report |= {
        "held_out": len(right), "right": sum(right),
        "bins": bins([calibration(p) for p in said], right),
    }  # fmt: skip
    return Fit(fit.reader, fit.adapter, calibration, report, fit.layers)


def _say(text: str) -> None:
    print(text, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    from assistant import config
    from assistant.hosts import open_host

    parser = argparse.ArgumentParser(prog="python -m assistant.advanced.train", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--host")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--rate", type=float, default=RATE, help="of learning, at its highest")
    parser.add_argument("--from", dest="earlier", type=Path, help="an earlier result to go on from")
    parser.add_argument("--seed", type=int, default=SEED, help="of the lessons")
    given = parser.parse_args(arguments)
    host = open_host(config.load({"host": given.host}))
    layers = host.load()[0].base_model.layers
    earlier = kept.load(given.earlier, layers) if given.earlier else None
    trainer = fit(host, given.steps, rate=given.rate, seed=given.seed, earlier=earlier)
    report = {"steps": given.steps, "rank": RANK}
    if earlier is not None:
        report["steps"] += earlier.report["steps"]
    made = Fit(trainer.reader, trainer.adapter, Calibration(), report, LAYERS)
    kept.save(given.output, made, host.digest)
    made = measured(host, given.output, report)
    kept.save(given.output, made, host.digest)
    print(f"{made.report['right']} of {made.report['held_out']} held-out lessons right")


if __name__ == "__main__":
    main()
