"""The dense engine: the stock Qwen3.5 decoder layers of transformers, with their cache.

This is the ground truth for "it is a Qwen3.5 network". Slow and large; everything in fp32.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
import torch
from torch import nn
from transformers import Qwen3_5TextConfig
from transformers.cache_utils import DynamicCache
from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5DecoderLayer, Qwen3_5RMSNorm

from vgpu.circuit.allocate import CARRIER
from vgpu.circuit.emit import CARRIER_VALUE, EPSILON, LayerWeights, Network
from vgpu.geometry import Geometry
from vgpu.network import network_for
from vgpu.word import Bits, layout

NO_DECAY = -200.0  # exp(-200) is 0 in fp32, so exp(-exp(A_log) * x) is 1


def layer_config(network: Network, weights: LayerWeights, layers: int) -> Qwen3_5TextConfig:
    return Qwen3_5TextConfig(
        vocab_size=2,
        hidden_size=network.hidden,
        intermediate_size=weights.neurons,
        num_hidden_layers=layers,
        layer_types=["linear_attention"] * layers,
        hidden_act="silu",
        rms_norm_eps=EPSILON,
        linear_conv_kernel_dim=4,
        linear_num_key_heads=weights.key_heads,
        linear_num_value_heads=weights.value_heads,
        linear_key_head_dim=weights.key_width,
        linear_value_head_dim=weights.value_width,
    )


def _norm_weight(hidden: int) -> torch.Tensor:
    """Makes RMSNorm the identity on every channel and 1 on the carrier.

    The norm divides by K / sqrt(hidden) (the carrier drowns the rest) and multiplies by 1 + weight.
    """
    root = CARRIER_VALUE / hidden**0.5
    weight = torch.full((hidden,), root - 1.0, dtype=torch.float64)
    weight[CARRIER] = 1 / hidden**0.5 - 1.0
    return weight.to(torch.float32)


def build_layer(network: Network, index: int) -> Qwen3_5DecoderLayer:
    """One stock decoder layer with the compiled weights."""
    weights = network.layers[index]
    config = layer_config(network, weights, len(network.layers))
    with torch.device("meta"):
        layer = Qwen3_5DecoderLayer(config, index)
    layer.to_empty(device="cpu")
    state = {f"{name}.weight": torch.from_numpy(m.dense()) for name, m in weights.matrices.items()}
    mixer = layer.linear_attn
    state["linear_attn.in_proj_a.weight"] = torch.zeros_like(mixer.in_proj_a.weight)
    state["linear_attn.dt_bias"] = torch.zeros_like(mixer.dt_bias)
    state["linear_attn.A_log"] = torch.full_like(mixer.A_log, NO_DECAY)
    state["linear_attn.norm.weight"] = torch.ones_like(mixer.norm.weight)
    convolution = torch.zeros_like(mixer.conv1d.weight)
    convolution[:, 0, -1] = 1.0
    state["linear_attn.conv1d.weight"] = convolution
    for norm in ("input_layernorm", "post_attention_layernorm"):
        state[f"{norm}.weight"] = _norm_weight(network.hidden)
    layer.load_state_dict(state)
    return layer.eval().requires_grad_(False)


class MachineModel(nn.Module):
    """The compiled layers between a word embedding and a word head.

    `forward`: word bits float [batch, n, bits] → logits float [batch, n, bits]; a bit is 1 when
    its logit is positive.
    """

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.hidden = network.hidden
        embed = torch.zeros(len(network.embed), network.hidden)
        embed[torch.arange(len(network.embed)), torch.from_numpy(network.embed).long()] = 1.0
        self.embed = nn.Parameter(embed, requires_grad=False)
        self.layers = nn.ModuleList(build_layer(network, i) for i in range(len(network.layers)))
        self.norm = Qwen3_5RMSNorm(network.hidden, eps=EPSILON)
        self.norm.weight = nn.Parameter(_norm_weight(network.hidden), requires_grad=False)
        self.head = nn.Parameter(torch.from_numpy(network.head.dense()), requires_grad=False)
        self.config = layer_config(network, network.layers[0], len(network.layers))

    def new_cache(self) -> DynamicCache:
        return DynamicCache(config=self.config)

    def embed_words(self, bits: torch.Tensor) -> torch.Tensor:
        stream = bits @ self.embed
        stream[..., CARRIER] = CARRIER_VALUE
        return stream

    def stream(self, hidden: torch.Tensor, cache: DynamicCache, watch: Any = None) -> torch.Tensor:
        """The residual stream after all layers; `watch(index, stream)` sees it after each."""
        for index, layer in enumerate(self.layers):
            hidden = layer(hidden, position_embeddings=None, cache=cache)
            if watch is not None:
                watch(index, hidden)
        return hidden

    def forward(self, bits: torch.Tensor, cache: DynamicCache, watch: Any = None) -> torch.Tensor:
        hidden = self.stream(self.embed_words(bits), cache, watch)
        return cast(torch.Tensor, self.norm(hidden) @ self.head.T)


class DenseEngine:
    """Feeds words to a `MachineModel`. `watch` sees the stream after every layer (for tests)."""

    name = "dense"
    chunk = 256  # words of a pass at which a word costs least

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
