"""Hidden states for training, with what does not change between steps kept.

Below the first adapted layer a host gives the same states for a text every time: they are made
once, and only the layers above them run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from assistant.hosts import taps
from assistant.reading.adapter import Adapter

Offsets = list[tuple[int, int]]
Read = tuple[torch.Tensor, list[Offsets]]


class States:
    """`Host.read` for many rounds over the same texts, or, without `keep`, for ever new ones."""

    def __init__(
        self, host: Any, layers: Sequence[int], adapter: Adapter | None, *, keep: bool = True
    ) -> None:
        self._host, self._adapter, self._keep = host, adapter, keep
        self._wanted = sorted(layers)
        self._below = [i for i in self._wanted if adapter is not None and i < adapter.first]
        self._kept: dict[str, tuple[torch.Tensor, Offsets]] = {}

    def read(self, texts: Sequence[str]) -> Read:
        """(states [texts, tokens, features], the characters of each text's tokens); shorter texts
        are padded behind. Gradients reach the adapter, if there is one."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        adapter = self._adapter
        layers = self._wanted if adapter is None else (*self._below, adapter.first)
        if new:
            with torch.no_grad():
                made = self._host.read(new, layers=layers)
            for text, (states, offsets) in zip(new, made, strict=True):
                # Half the memory, and what products in bfloat16 would make of them anyhow.
                self._kept[text] = (
                    states.to(torch.bfloat16 if self._keep else states.dtype),
                    offsets,
                )
        kept = [self._kept[text] for text in texts]
        if not self._keep:
            self._kept.clear()
        below = nn.utils.rnn.pad_sequence([s for s, _ in kept], batch_first=True)
        offsets = [spans for _, spans in kept]
        if self._adapter is None:
            return below, offsets
        return self._above(below, [len(spans) for spans in offsets], self._adapter), offsets

    def _above(self, below: torch.Tensor, lengths: Sequence[int], adapter: Adapter) -> torch.Tensor:
        """The adapted layers' states, from those below them."""
        model, _ = self._host.load()
        base, every = model.base_model, model.base_model.layers
        parts = len(self._below) + 1
        mask = (torch.arange(below.shape[1]) < torch.tensor(lengths)[:, None]).long()
        wanted = [i for i in self._wanted if i >= adapter.first]
        *lower, start = below.to(base.dtype).chunk(parts, dim=-1)
        base.layers = nn.ModuleList(list(every)[adapter.first : max(wanted) + 1])
        try:
            # Its backward pass is quicker than that of the fused kernel for lines this short.
            with adapter.active(every), sdpa_kernel(SDPBackend.MATH):
                upper = taps.inputs_of(
                    [every[i] for i in wanted],
                    lambda: base(inputs_embeds=start, attention_mask=mask, use_cache=False),
                )
        finally:
            base.layers = every
        return torch.cat([*lower, *upper], dim=-1)
