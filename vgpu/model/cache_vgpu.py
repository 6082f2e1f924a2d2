"""One cache for a session: the host's keys and values, and the machine's state.

This file travels with exported checkpoints: it imports transformers only.
"""

from __future__ import annotations

from typing import Any

from transformers import DynamicCache, PretrainedConfig


class VGPUCache(DynamicCache):
    """The host's cache, with the machine's as its attribute `machine`.

    What `generate` does to a cache (cropping, reordering beams, repeating rows) concerns the
    host's rows of text. The machine is one, whatever the batch, and only machine words change it.
    """

    def __init__(self, host_config: PretrainedConfig, machine: Any) -> None:
        super().__init__(config=host_config)
        self.machine = machine

    def reset(self) -> None:
        """Empties both."""
        super().reset()
        self.machine.reset()


def machine_of(cache: Any, make: Any) -> Any:
    """The machine's state in any cache of transformers; `make()` starts one where there is none."""
    if getattr(cache, "machine", None) is None:
        cache.machine = make()
    return cache.machine
