"""Programs through the composite's own layers: an engine for `vgpu.Machine`."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch

from vgpu.errors import InputError
from vgpu.geometry import Geometry
from vgpu.isa import FINGERPRINT
from vgpu.word import Bits, layout


class CompositeEngine:
    """Feeds words to a `VGPUForCausalLM`, in a session of its own or in one that holds a chat.

    `cache` is that session's (`model.new_cache()`, or what a call on text returned). A reset
    empties the machine in it and leaves the text alone. Raises InputError when the model was made
    for another version of the instruction set.
    """

    name = "composite"

    def __init__(self, model: Any, cache: Any = None) -> None:
        if model.config.isa != FINGERPRINT:
            raise InputError(
                "the model was made for another version of the instruction set: make it again "
                "(`assistant build --force`)"
            )
        self.model = model
        self.geometry = Geometry(**model.config.geometry)
        self.layout = layout(self.geometry)
        self.cache = model.new_cache() if cache is None else cache

    def reset(self) -> None:
        self.cache.machine = self.model.machine.new_cache()

    def step(self, words: Bits) -> Bits:
        if len(words) == 0:
            return words
        given = torch.from_numpy(words)[None]
        came = self.model(words=given, cache=self.cache).words[0]
        return cast(Bits, came.to(torch.uint8).cpu().numpy().astype(np.uint8))
