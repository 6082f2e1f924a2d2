"""The configuration of a host language model with the machine inside.

This file travels with exported checkpoints: it imports transformers only.
"""

from __future__ import annotations

from typing import Any, ClassVar

from transformers import AutoConfig, PretrainedConfig
from transformers.configuration_utils import SubConfigSpec


class VGPUConfig(PretrainedConfig):
    """A host's configuration and the machine's sizes.

    host_config      the host's own configuration (any causal language model of transformers)
    machine          {"hidden", "channels", "layers"}: the width of the machine's part of the
                     residual stream, how much of it is used, and for each layer its "key_heads",
                     "value_heads", "key_width", "value_width" and "neurons"
    word             name of a field of a machine word -> [first bit, number of bits]
    geometry         lanes, registers, memory and so on, as in `vgpu.Geometry`
    isa              fingerprint of the instruction set that the weights implement
    machine_weights  how the machine is saved: "sparse" (a few MB, expanded at load) or "dense"
    host_weights     where the host's weights are: "inside" (with the model's own, every name behind
                     "host."), or "own" (the folder is also the host's checkpoint, under its names)
    machine_on_text  whether text tokens go through the compiled layers, which add exactly zero
    check_exact      raise when a text token leaves a layer changed, or a channel of a machine
                     word is not an integer
    """

    model_type = "vgpu"
    sub_configs_defaults: ClassVar[dict[str, Any]] = {
        "host_config": SubConfigSpec(config_class=AutoConfig, model_type="llama", optional=True)
    }

    host_config: dict[str, Any] | PretrainedConfig | None = None
    machine: dict[str, Any] | None = None
    word: dict[str, list[int]] | None = None
    geometry: dict[str, int] | None = None
    isa: str = ""
    machine_weights: str = "sparse"
    host_weights: str = "inside"
    machine_on_text: bool = True
    check_exact: bool = False

    def __post_init__(self, **kwargs: Any) -> None:
        super().__post_init__(**kwargs)
        if self.machine_weights not in ("sparse", "dense"):
            raise ValueError(f"machine_weights is {self.machine_weights!r}: sparse or dense")
        if self.host_weights not in ("inside", "own"):
            raise ValueError(f"host_weights is {self.host_weights!r}: inside or own")
        if isinstance(self.host_config, PretrainedConfig):
            self.tie_word_embeddings = bool(
                getattr(self.get_text_config(), "tie_word_embeddings", False)
            )

    def get_text_config(self, decoder: Any = None, encoder: Any = None) -> PretrainedConfig:
        """The host's: its caches, its embedding and its generation are what `generate` asks for."""
        if isinstance(self.host_config, PretrainedConfig):
            return self.host_config.get_text_config(decoder=decoder, encoder=encoder)
        return super().get_text_config(decoder=decoder, encoder=encoder)

    @property
    def word_bits(self) -> int:
        """Bits of a machine word."""
        return sum(width for _, width in (self.word or {}).values())

    @property
    def vocab_size(self) -> int:
        return int(self.get_text_config().vocab_size)

    @property
    def hidden_size(self) -> int:
        """Channels of the host; the machine's `machine["hidden"]` follow them."""
        return int(self.get_text_config().hidden_size)
