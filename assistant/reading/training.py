"""Training of read-outs: one host, one reader, perhaps an adapter on the host's layers.

Where the processor multiplies bfloat16 in hardware (AMX), the products of the host and of both
networks are taken in it, several times as fast; what is measured is measured as it will be used.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import torch
from torch import nn

from assistant.reading.adapter import Adapter
from assistant.reading.kept import Fit
from assistant.reading.reader import START, Encoded, Message, Reader, Sizes, Symbol, encoded
from assistant.reading.states import States

_BY_WORD = ("words.weight", "say.weight", "say.bias")  # a row for each word of the vocabulary
BATCH = 48


class Sample(Protocol):
    """A message, and the row to be written for it."""

    @property
    def message(self) -> Message: ...
    @property
    def row(self) -> Sequence[Symbol]: ...


S = TypeVar("S", bound=Sample)


class Trainer:
    """`rank` 0: no adapter; else one on the `adapted` layers below the last that is read. `sizes`
    are what the reader has beside the defaults; `layers` of the host are read."""

    def __init__(
        self, host: Any, vocabulary: Sequence[str], rank: int, *, adapted: int,
        layers: Sequence[int] = (), **sizes: Any,
    ) -> None:  # fmt: skip
        self.host, self.layers = host, tuple(layers or host.router_layers)
        model, _ = host.load()
        parts, last = len(self.layers), max(self.layers)
        features = model.config.get_text_config().hidden_size * parts
        self.reader = Reader(Sizes(features, parts, **sizes), [START, *vocabulary])
        self.adapter = (
            Adapter(model.base_model.layers, max(0, last - adapted), last, rank) if rank else None
        )
        self._states = States(host, self.layers, self.adapter)
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

    def forget(self) -> None:
        """Drops what was kept of the texts: from here on they are read as a user's would be."""
        self._states = States(self.host, self.layers, self.adapter, keep=False)

    def encode(self, batch: Sequence[Sample]) -> Encoded:
        read = self._states.read([s.message.text for s in batch])
        return encoded([s.message for s in batch], *read, self.reader.sizes.kinds)

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
            with quick():
                best = self.reader(given, *self.reader.read(self.encode(batch))).argmax(-1)
            hits = ((best == wanted) | (wanted == -100)).all(1).tolist()
            found.update(zip(part, hits, strict=True))
        self.reader.train()
        return [found[i] for i in range(len(data))]

    def run(
        self, batches: Iterable[Sequence[Sample]], steps: int, *, rate: float,
        say: Callable[[str], None], probe: Sequence[Sample] = (), every: int = 600,
    ) -> None:  # fmt: skip
        """Takes `steps` steps; the rate rises over a twelfth of them and then falls to nothing."""
        groups: list[dict[str, Any]] = [{"params": list(self.reader.parameters()), "lr": rate}]
        if self.adapter is not None:
            own = list(self.adapter.parameters())
            groups.append({"params": own, "lr": rate / 1.5, "weight_decay": 0})
        optimiser = torch.optim.AdamW(groups, weight_decay=0.02, fused=True)
        rising = max(1, steps // 12)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda s: min(1, (s + 1) / rising) * max(0.02, 1 - s / steps)
        )
        started, total = time.perf_counter(), 0.0
        for step, batch in enumerate(batches, 1):
            optimiser.zero_grad()
            with quick():
                loss = self.loss(batch)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
            if step % 100 == 0 or step == steps:
                seconds, count = time.perf_counter() - started, (step - 1) % 100 + 1
                say(f"step {step:,} of {steps:,}: loss {total / count:.3f}, {seconds:.0f} s")
                total = 0.0
            if probe and step % every == 0:
                hits = self.right(probe)
                say(f"held out: {sum(hits) / len(hits):.1%}")
            if step == steps:
                break


def quick() -> contextlib.AbstractContextManager[Any]:
    """Products in bfloat16 where that is what the processor is best at."""
    if torch.cpu.get_capabilities().get("amx_bf16"):
        return torch.autocast("cpu", torch.bfloat16)
    return contextlib.nullcontext()


def batches(data: Sequence[S], seed: int, size: int = BATCH) -> Iterator[list[S]]:
    """Batches of like lengths, in random order, without end."""
    rng = random.Random(seed)
    while True:
        order = list(data)
        rng.shuffle(order)
        made_up: list[list[S]] = []
        for at in range(0, len(order), 20 * size):
            part = sorted(order[at : at + 20 * size], key=lambda s: len(s.message.text))
            made_up += [part[i : i + size] for i in range(0, len(part), size)]
        rng.shuffle(made_up)
        yield from made_up
