"""Fits a read-out, and an adapter when asked, on the written phrasings.

    python -m assistant.router.train -o FILE [--host H] [--rank 8] [--epochs 4] [--each 3]

Whole phrasings are held out, one in ten, and what the figure says is how many questions made from
them were turned into exactly the right calls. The file holds both networks and that figure.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from assistant.reading.calibration import bins, fitted
from assistant.reading.kept import Fit, load, save
from assistant.reading.training import BATCH, Trainer, batches
from assistant.router import corpus
from assistant.router.readout import grammars
from assistant.router.samples import Sample, samples, split
from assistant.router.symbols import Symbol

SEED = 1
EPOCHS = 4.0
RATE = 1.5e-3
ADAPTED = 6  # layers below the last that is read
MOST_MEASURED = 1500  # held-out questions that the figure and the calibration rest on


def fit(
    host: Any, data: Sequence[Sample], *, rank: int, epochs: float, seed: int = SEED,
    say: Callable[[str], None] = print, rate: float = RATE, earlier: Fit | None = None,
) -> Fit:  # fmt: skip
    """Trains on all phrasings but the held-out ones. Deterministic for one machine and seed.

    `earlier`: goes on from there, with new questions from the same phrasings; the result is the
    mean of both.
    """
    torch.manual_seed(seed)
    shown, held = split(data)
    vocabulary = sorted({s for sample in data for s in sample.row if isinstance(s, str)})
    trainer = Trainer(host, vocabulary, rank, adapted=ADAPTED)
    if earlier is not None:
        trainer.take(earlier)
    steps = max(1, int(epochs * len(shown) / BATCH))
    say(f"{len(shown):,} questions shown, {len(held):,} held out, {steps:,} steps")
    probe = random.Random(seed).sample(held, min(500, len(held)))
    trainer.run(batches(shown, seed), steps, rate=rate, say=say, probe=probe)
    if earlier is not None:
        trainer.take(earlier, 0.5)
    return measured(trainer, shown, held, {"epochs": epochs, "rank": rank}, seed)


def measured(
    trainer: Trainer,
    shown: Sequence[Sample],
    held: Sequence[Sample],
    how: dict[str, Any],
    seed: int,
) -> Fit:
    """The fit with what it does on held-out questions, and calibrated on them."""
    trainer.reader.eval()
    trainer.forget()
    asked = random.Random(seed).sample(held, min(MOST_MEASURED, len(held)))
    written = written_by(trainer, asked)
    hits = [row == s.row for (row, _), s in zip(written, asked, strict=True)]
    calibration = fitted([p for _, p in written], hits)
    report = {
        **how, "phrasings": len({s.phrasing for s in (*shown, *held)}), "shown": len(shown),
        "held_out": len(asked), "right": sum(hits),
        "bins": bins([calibration(p) for _, p in written], hits),
        "families": _by_family(asked, hits),
    }  # fmt: skip
    return Fit(trainer.reader, trainer.adapter, calibration, report)


@torch.inference_mode()
def written_by(trainer: Trainer, data: Sequence[Sample]) -> list[tuple[tuple[Symbol, ...], float]]:
    """The row that is written for each question, and its probability."""
    constants = [word for word in trainer.reader.vocabulary if word.startswith("=")]
    allowed = grammars(constants)
    made = []
    for sample in data:
        one = trainer.encode([sample])
        after = sample.message.text.startswith(corpus.BEFORE)
        row, p = trainer.reader.write(one, sample.message.places, allowed[after])
        made.append((tuple(row), p))
    return made


def _by_family(data: Sequence[Sample], hits: Sequence[bool]) -> dict[str, list[int]]:
    """Right and asked, for each call text."""
    found: dict[str, list[int]] = {}
    for sample, hit in zip(data, hits, strict=True):
        counts = found.setdefault(sample.family, [0, 0])
        counts[0] += hit
        counts[1] += 1
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    from assistant import config
    from assistant.hosts import open_host

    parser = argparse.ArgumentParser(prog="python -m assistant.router.train", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--host")
    parser.add_argument("--rank", type=int, default=8, help="of the adapter; 0: none")
    parser.add_argument("--epochs", type=float, default=EPOCHS)
    parser.add_argument("--each", type=int, default=3, help="questions from each phrasing")
    parser.add_argument("--rate", type=float, default=RATE, help="of learning, at its highest")
    parser.add_argument("--from", dest="earlier", type=Path, help="an earlier result to go on from")
    parser.add_argument("--draw", type=int, default=SEED, help="seed of the questions' numbers")
    parser.add_argument("--stress", nargs="*", default=(), metavar="NAME",
                        help="files of prompts/routing that are asked more often")  # fmt: skip
    given = parser.parse_args(arguments)
    host = open_host(config.load({"host": given.host}))
    earlier = load(given.earlier, host.load()[0].base_model.layers) if given.earlier else None
    made = fit(
        host, samples(given.each, given.draw, given.stress), rank=given.rank, epochs=given.epochs,
        say=lambda text: print(text, flush=True), rate=given.rate, earlier=earlier,
    )  # fmt: skip
    save(given.output, made, host.digest)
    print(f"{made.report['right']} of {made.report['held_out']} held-out questions right")


if __name__ == "__main__":
    main()
