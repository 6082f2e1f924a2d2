"""Logits of a host alone and of the composite, bit for bit, in every way that text is fed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

DECODED = 3  # tokens of each text that are fed one by one, through the cache
KEPT = 512  # logits of a text at most, from its end: a vocabulary of 262,144 is large
BATCH = 8
BATCH_TOKENS = 4096  # padded tokens of a batch at most
Texts = Sequence[Sequence[int]]


@dataclass
class TextReport:
    """`equal` of `texts` texts gave the same logits; `names` tells which did not, and where."""

    texts: int
    names: list[str] = field(default_factory=list)

    @property
    def equal(self) -> int:
        return self.texts - len({name.split(":")[0] for name in self.names})


@torch.no_grad()
def compare_texts(
    host: Any,
    model: Any,
    texts: Texts,
    *,
    pad: int,
    progress: Callable[[int, int], None] | None = None,
) -> TextReport:
    """`texts` as token ids; one without any has no logits to compare.

    Each text is fed whole, then again with its last tokens one by one through the cache, then in
    a batch padded on the left with `pad`.
    """
    report = TextReport(len(texts))
    batches = list(_batches(texts))
    total = len(texts) + len(batches)
    for index, text in enumerate(texts):
        for how, feed in (("prefill", _whole), ("decode", _stepwise)):
            if not _equal(feed(host, text), feed(model, text)):
                report.names.append(f"text {index}: {how}")
        if progress:
            progress(index + 1, total)
    for done, batch in enumerate(batches, len(texts) + 1):
        ours, theirs = (_padded(m, [texts[i] for i in batch], pad) for m in (model, host))
        for index, a, b in zip(batch, ours, theirs, strict=True):
            if not torch.equal(a, b):
                report.names.append(f"text {index}: padded batch")
        if progress:
            progress(done, total)
    return report


def _equal(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    return len(a) == len(b) and all(torch.equal(x, y) for x, y in zip(a, b, strict=True))


def _ids(model: Any, text: Sequence[int]) -> torch.Tensor:
    return torch.tensor([list(text)], dtype=torch.long, device=model.device)


def _keep(model: Any, count: int) -> dict[str, int]:
    return {"logits_to_keep": count} if model._supports_logits_to_keep() else {}


def _whole(model: Any, text: Sequence[int]) -> list[torch.Tensor]:
    """Logits of every token (of a long text, its last `KEPT`); none when there is none."""
    if not text:
        return []
    return [model(input_ids=_ids(model, text), use_cache=False, **_keep(model, KEPT)).logits]


def _stepwise(model: Any, text: Sequence[int]) -> list[torch.Tensor]:
    """Logits of the last tokens, each fed alone after those before it."""
    cache, logits = None, []
    at = max(len(text) - DECODED, min(len(text), 1))
    for start, end in [(0, at), *((i, i + 1) for i in range(at, len(text)))]:
        if end > start:
            ids = _ids(model, text[start:end])
            out = model(input_ids=ids, cache=cache, use_cache=True, **_keep(model, 1))
            cache = out.cache
            logits.append(out.logits[:, -1])
    return logits


def _padded(model: Any, batch: Texts, pad: int) -> list[torch.Tensor]:
    """Logits of the last token of each row."""
    longest = max(len(text) for text in batch)
    ids = torch.tensor([[pad] * (longest - len(text)) + list(text) for text in batch])
    mask = torch.tensor([[0] * (longest - len(text)) + [1] * len(text) for text in batch])
    ids, mask = ids.to(model.device), mask.to(model.device)
    out = model(input_ids=ids, attention_mask=mask, use_cache=False, **_keep(model, 1))
    return list(out.logits[:, -1])


def _batches(texts: Texts) -> Iterator[list[int]]:
    """Numbers of the texts, neighbours in length together, so that most rows are padded."""
    batch: list[int] = []
    for index in sorted((i for i, text in enumerate(texts) if text), key=lambda i: len(texts[i])):
        if batch and (len(batch) == BATCH or len(texts[index]) * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
