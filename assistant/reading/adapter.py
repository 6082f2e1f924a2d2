"""A low-rank adapter on some of the host's layers, there only while it routes.

The host's weights are never touched: hooks add `(x A) B` to what a linear layer gives, and they
are removed again, so its text is bit for bit that of the host alone. [Hu et al. 2021, LoRA]
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

SCALE = 2.0


class Adapter(nn.Module):
    """Factors A [inputs, rank] and B [rank, outputs] for every linear layer of `layers`."""

    def __init__(self, layers: nn.ModuleList, first: int, last: int, rank: int) -> None:
        super().__init__()
        self.first, self.last, self.rank = first, last, rank
        self.factors = nn.ParameterDict()
        for name, linear in _linears(layers, first, last):
            a = torch.randn(linear.in_features, rank) / linear.in_features**0.5
            self.factors[f"{name}-a"] = nn.Parameter(a)
            self.factors[f"{name}-b"] = nn.Parameter(torch.zeros(rank, linear.out_features))

    @contextlib.contextmanager
    def active(self, layers: nn.ModuleList) -> Iterator[None]:
        """Adds to what the layers give, until the context ends."""
        handles = [
            linear.register_forward_hook(self._hook(name))
            for name, linear in _linears(layers, self.first, self.last)
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _hook(self, name: str) -> Any:
        a, b = self.factors[f"{name}-a"], self.factors[f"{name}-b"]

        def add(_module: nn.Module, inputs: tuple[Any, ...], out: torch.Tensor) -> torch.Tensor:
            return out + inputs[0] @ a.to(out.dtype) @ (b.to(out.dtype) * SCALE)

        return add


def _linears(layers: nn.ModuleList, first: int, last: int) -> Iterator[tuple[str, nn.Linear]]:
    for index in range(first, last):
        for name, module in layers[index].named_modules():
            if isinstance(module, nn.Linear):
                yield f"{index}-{name.replace('.', '-')}", module
