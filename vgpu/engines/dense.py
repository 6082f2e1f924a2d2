"""The dense engine: the stock Qwen3.5 decoder layers of transformers, with their cache.

This is the ground truth for "it is a Qwen3.5 network". Slow and large; everything in fp32. The
layers are those that `vgpu.model` puts in front of a host, here without one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
import torch

from vgpu.circuit.emit import Network
from vgpu.geometry import Geometry
from vgpu.model.machine_vgpu import CHUNK, VGPUMachine
from vgpu.network import network_for
from vgpu.store import flatten, sizes
from vgpu.word import Bits, layout


class MachineModel(VGPUMachine):
    """The compiled layers between a word embedding and a word head.

    `forward`: word bits float [batch, n, bits] → logits float [batch, n, bits]; a bit is 1 when
    its logit is positive.
    """

    def __init__(self, network: Network) -> None:
        super().__init__(sizes(network), len(network.embed))
        self.fill(flatten(network)[0])


class DenseEngine:
    """Feeds words to a `MachineModel`. `watch` sees the stream after every layer (for tests)."""

    name = "dense"
    chunk = CHUNK  # words of a pass at which a word costs least

    def __init__(self, geometry: Geometry, model: MachineModel) -> None:
        self.geometry, self.model = geometry, model
        self.layout = layout(geometry)
        self.watch: Any = None
        self.reset()

    @classmethod
    def for_geometry(cls, geometry: Geometry) -> DenseEngine:
        return cls(geometry, _model_for(geometry))

    def reset(self) -> None:
        self.cache = self.model.new_cache()

    @torch.no_grad()
    def step(self, words: Bits) -> Bits:
        if len(words) == 0:
            return words
        bits = torch.from_numpy(words).to(torch.float32)[None]
        logits = self.model(bits, self.cache, self.watch)[0]
        return cast(Bits, (logits > 0).to(torch.uint8).numpy().astype(np.uint8))


@lru_cache(maxsize=2)
def _model_for(geometry: Geometry) -> MachineModel:
    return MachineModel(network_for(geometry))
