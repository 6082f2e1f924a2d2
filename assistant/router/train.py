"""Fits a read-out, and an adapter when asked, on the written phrasings.

    python -m assistant.router.train -o FILE [--host H] [--rank 8] [--epochs 4] [--each 3]

Whole phrasings are held out, one in ten, and what the figure says is how many questions made from
them were turned into exactly the right calls. The file holds both networks and that figure.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from assistant.router import corpus
from assistant.router.adapter import Adapter
from assistant.router.calibration import bins, fitted
from assistant.router.kept import Fit, load, save
from assistant.router.reader import START, Encoded, Reader, Sizes, encoded
from assistant.router.readout import grammars
from assistant.router.samples import Sample, samples, split
from assistant.router.states import States
from assistant.router.symbols import Symbol

_BY_WORD = ("words.weight", "say.weight", "say.bias")  # a row for each word of the vocabulary
SEED = 1
EPOCHS = 4.0
RATE = 1.5e-3
BATCH = 48
ADAPTED = 6  # layers below the last that is read
MOST_MEASURED = 1500  # held-out questions that the figure and the calibration rest on


class Trainer:
    """One host, one read-out, perhaps an adapter."""

    def __init__(self, host: Any, vocabulary: Sequence[str], rank: int) -> None:
        self.host = host
        model, _ = host.load()
        parts = len(host.router_layers)
        sizes = Sizes(model.config.get_text_config().hidden_size * parts, parts)
        self.reader = Reader(sizes, [START, *vocabulary])
        last = max(host.router_layers)
        self.adapter = (
            Adapter(model.base_model.layers, max(0, last - ADAPTED), last, rank) if rank else None
        )
        self._states = States(host, self.adapter)
        for parameter in model.parameters():
            parameter.requires_grad_(False)

    @torch.no_grad()
    def take(self, earlier: Fit, share: float = 1.0) -> None:
        """Moves the weights to an earlier fit's, or `share` of the way; words that it did not know
        keep theirs. The mean of two fits of one descent does better than either on what neither
        was shown. [Wortsman et al. 2022, model soups]"""
        theirs, known = earlier.reader.state_dict(), earlier.reader.index
        own = self.reader.state_dict()
        for name, tensor in own.items():
            if name not in _BY_WORD:
                tensor.lerp_(theirs[name], share)
                continue
            for word, row in self.reader.index.items():
                if word in known:
                    tensor[row] = torch.lerp(tensor[row], theirs[name][known[word]], share)
        self.reader.load_state_dict(own)
        if self.adapter is not None and earlier.adapter is not None:
            for name, tensor in earlier.adapter.state_dict().items():
                self.adapter.state_dict()[name].lerp_(tensor.float(), share)

    def encode(self, batch: Sequence[Sample]) -> list[Encoded]:
        read = self._states.read([s.message.text for s in batch])
        return [
            encoded(s.message, states, offsets)
            for s, (states, offsets) in zip(batch, read, strict=True)
        ]

    def rows(self, batch: Sequence[Sample]) -> tuple[torch.Tensor, torch.Tensor]:
        """(what is given, what is to come), both [n, symbols]; -100 is nothing."""
        most = max(len(s.row) for s in batch)
        given = torch.zeros(len(batch), most, dtype=torch.long)
        wanted = torch.full((len(batch), most), -100)
        for i, sample in enumerate(batch):
            numbers = [self.reader.number(s) for s in sample.row]
            given[i, : len(numbers)] = torch.tensor([self.reader.index[START], *numbers[:-1]])
            wanted[i, : len(numbers)] = torch.tensor(numbers)
        return given, wanted

    def parameters(self) -> list[nn.Parameter]:
        own = list(self.reader.parameters())
        return own + (list(self.adapter.parameters()) if self.adapter else [])

    def loss(self, batch: Sequence[Sample]) -> torch.Tensor:
        given, wanted = self.rows(batch)
        scores = self.reader(given, *self.reader.read(self.encode(batch)))
        return nn.functional.cross_entropy(
            scores.flatten(0, 1), wanted.flatten(), ignore_index=-100
        )

    @torch.no_grad()
    def right(self, data: Sequence[Sample]) -> list[bool]:
        """Whether each whole row is the likeliest, symbol for symbol."""
        self.reader.eval()
        found: dict[int, bool] = {}
        order = sorted(range(len(data)), key=lambda i: len(data[i].message.text))
        for at in range(0, len(order), BATCH):
            part = order[at : at + BATCH]
            given, wanted = self.rows(batch := [data[i] for i in part])
            best = self.reader(given, *self.reader.read(self.encode(batch))).argmax(-1)
            hits = ((best == wanted) | (wanted == -100)).all(1).tolist()
            found.update(zip(part, hits, strict=True))
        self.reader.train()
        return [found[i] for i in range(len(data))]


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
    trainer = Trainer(host, vocabulary, rank)
    if earlier is not None:
        trainer.take(earlier)
    steps = max(1, int(epochs * len(shown) / BATCH))
    say(f"{len(shown):,} questions shown, {len(held):,} held out, {steps:,} steps")
    groups: list[dict[str, Any]] = [{"params": list(trainer.reader.parameters()), "lr": rate}]
    if trainer.adapter is not None:
        groups.append(
            {"params": list(trainer.adapter.parameters()), "lr": rate / 1.5, "weight_decay": 0}
        )
    optimiser = torch.optim.AdamW(groups, weight_decay=0.02)
    rising = max(1, steps // 12)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min(1, (s + 1) / rising) * max(0.02, 1 - s / steps)
    )
    started, total = time.perf_counter(), 0.0
    for step, batch in enumerate(_batches(shown, steps, seed), 1):
        optimiser.zero_grad()
        loss = trainer.loss(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(trainer.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        total += loss.item()
        if step % 100 == 0 or step == steps:
            seconds = time.perf_counter() - started
            say(f"step {step:,} of {steps:,}: loss {total / min(step, 100):.3f}, {seconds:.0f} s")
            total = 0.0
        if step % 600 == 0:
            sample = trainer.right(random.Random(seed).sample(held, min(500, len(held))))
            say(f"held out: {sum(sample) / len(sample):.1%}")
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
        (one,) = trainer.encode([sample])
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


def _batches(data: Sequence[Sample], steps: int, seed: int) -> Iterator[list[Sample]]:
    """Batches of like lengths, in random order, until `steps` have been made."""
    rng, made = random.Random(seed), 0
    while True:
        order = list(data)
        rng.shuffle(order)
        batches = []
        for at in range(0, len(order), 20 * BATCH):
            part = sorted(order[at : at + 20 * BATCH], key=lambda s: len(s.message.text))
            batches += [part[i : i + BATCH] for i in range(0, len(part), BATCH)]
        rng.shuffle(batches)
        for batch in batches:
            if made == steps:
                return
            made += 1
            yield batch


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
    given = parser.parse_args(arguments)
    host = open_host(config.load({"host": given.host}))
    earlier = load(given.earlier, host.load()[0].base_model.layers) if given.earlier else None
    made = fit(
        host, samples(given.each, given.draw), rank=given.rank, epochs=given.epochs,
        say=lambda text: print(text, flush=True), rate=given.rate, earlier=earlier,
    )  # fmt: skip
    save(given.output, made, host.digest)
    print(f"{made.report['right']} of {made.report['held_out']} held-out questions right")


if __name__ == "__main__":
    main()
