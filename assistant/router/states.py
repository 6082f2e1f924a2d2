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
from assistant.router.adapter import Adapter

Read = list[tuple[torch.Tensor, list[tuple[int, int]]]]


class States:
    """`Host.read` for many rounds over the same texts."""

    def __init__(self, host: Any, adapter: Adapter | None) -> None:
        self._host, self._adapter = host, adapter
        wanted = host.router_layers
        self._below = [i for i in wanted if adapter is not None and i < adapter.first]
        self._kept: dict[str, tuple[torch.Tensor, list[tuple[int, int]]]] = {}

    def read(self, texts: Sequence[str]) -> Read:
        """Gradients reach the adapter, if there is one."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        layers = (*self._below, self._adapter.first) if self._adapter is not None else ()
        if new:
            with torch.no_grad():
                made = self._host.read(new, layers=layers)
            for text, (states, offsets) in zip(new, made, strict=True):
                self._kept[text] = states.clone(), offsets
        kept = [self._kept[text] for text in texts]
        return kept if self._adapter is None else self._above(kept, self._adapter)

    def _above(self, kept: Read, adapter: Adapter) -> Read:
        """The adapted layers' states, from those below them."""
        model, _ = self._host.load()
        base, every = model.base_model, model.base_model.layers
        longest = max(len(states) for states, _ in kept)
        parts = len(self._below) + 1
        below = torch.zeros(len(kept), longest, kept[0][0].shape[1], dtype=kept[0][0].dtype)
        mask = torch.zeros(len(kept), longest, dtype=torch.long)
        for row, (states, _) in enumerate(kept):
            below[row, : len(states)] = states
            mask[row, : len(states)] = 1
        wanted = [i for i in self._host.router_layers if i >= adapter.first]
        *lower, start = below.chunk(parts, dim=-1)
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
        states = torch.cat([*lower, *upper], dim=-1)
        return [(states[row, : len(one)], offsets) for row, (one, offsets) in enumerate(kept)]
