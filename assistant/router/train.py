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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from assistant.router import corpus, symbols
from assistant.router.adapter import Adapter
from assistant.router.numbers import read
from assistant.router.places import Message, message
from assistant.router.reader import START, Encoded, Reader, Sizes, encoded
from assistant.router.symbols import Symbol

HELD_OUT = 10  # one phrasing in so many
BATCH = 48
ADAPTED = 10  # layers below the last that is read


@dataclass(frozen=True)
class Sample:
    """A question as the host reads it, and the row to be written."""

    message: Message
    row: tuple[Symbol, ...]
    family: str
    phrasing: str


@dataclass(frozen=True)
class Fit:
    reader: Reader
    adapter: Adapter | None
    report: dict[str, Any]


def samples(each: int, seed: int) -> list[Sample]:
    """`each` questions from every phrasing, less those whose numbers are read otherwise."""
    rng, made = random.Random(seed), {}
    for phrasing in corpus.phrasings():
        for example in corpus.generate(phrasing, each, rng):
            read_as = message(read(example.question))
            try:
                row = tuple(symbols.write(example, read_as))
            except symbols.Misread:
                continue
            made[read_as.text, row] = Sample(read_as, row, phrasing.family, phrasing.text)
    return list(made.values())


def split(data: Sequence[Sample], seed: int) -> tuple[list[Sample], list[Sample]]:
    """(shown, held out): whole phrasings are on one side."""
    phrasings = sorted({(s.family, s.phrasing) for s in data})
    random.Random(seed).shuffle(phrasings)
    held = set(phrasings[::HELD_OUT])
    shown = [s for s in data if (s.family, s.phrasing) not in held]
    return shown, [s for s in data if (s.family, s.phrasing) in held]


class Trainer:
    """One host, one read-out, perhaps an adapter."""

    def __init__(self, host: Any, vocabulary: Sequence[str], rank: int) -> None:
        self.host = host
        model, self.tokenizer = host.load()
        self.layers = model.base_model.layers
        features = model.config.get_text_config().hidden_size * len(host.router_layers)
        self.reader = Reader(Sizes(features), [START, *vocabulary])
        last = max(host.router_layers)
        self.adapter = Adapter(self.layers, max(0, last - ADAPTED), last, rank) if rank else None
        for parameter in model.parameters():
            parameter.requires_grad_(False)

    def encode(self, batch: Sequence[Sample]) -> list[Encoded]:
        texts = [s.message.text for s in batch]
        read = self.host.read(texts, self.adapter)
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
    host: Any, *, rank: int, epochs: float, each: int, seed: int = 1,
    say: Callable[[str], None] = print,
) -> Fit:  # fmt: skip
    """Trains on all phrasings but the held-out ones. Deterministic for one machine and seed."""
    torch.manual_seed(seed)
    data = samples(each, seed)
    shown, held = split(data, seed)
    vocabulary = sorted({s for sample in data for s in sample.row if isinstance(s, str)})
    trainer = Trainer(host, vocabulary, rank)
    steps = max(1, int(epochs * len(shown) / BATCH))
    say(f"{len(shown):,} questions shown, {len(held):,} held out, {steps:,} steps")
    groups: list[dict[str, Any]] = [{"params": list(trainer.reader.parameters()), "lr": 1.5e-3}]
    if trainer.adapter is not None:
        groups.append({"params": list(trainer.adapter.parameters()), "lr": 1e-3, "weight_decay": 0})
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
    hits = trainer.right(held)
    report = {
        "shown": len(shown), "held_out": len(held), "right": sum(hits), "epochs": epochs,
        "phrasings": len(corpus.phrasings()), "rank": rank,
    }  # fmt: skip
    trainer.reader.eval()
    return Fit(trainer.reader, trainer.adapter, report)


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
    from assistant.router.kept import save

    parser = argparse.ArgumentParser(prog="python -m assistant.router.train", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--host")
    parser.add_argument("--rank", type=int, default=8, help="of the adapter; 0: none")
    parser.add_argument("--epochs", type=float, default=4)
    parser.add_argument("--each", type=int, default=3, help="questions from each phrasing")
    given = parser.parse_args(arguments)
    host = open_host(config.load({"host": given.host}))
    made = fit(
        host, rank=given.rank, epochs=given.epochs, each=given.each,
        say=lambda text: print(text, flush=True),
    )  # fmt: skip
    save(given.output, made.reader, made.adapter, host.digest, made.report)
    print(made.report)


if __name__ == "__main__":
    main()
