"""Small hosts with random weights, a small machine, and a program for it."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    BloomConfig,
    FalconConfig,
    Gemma3TextConfig,
    GemmaConfig,
    GPT2Config,
    GPTNeoXConfig,
    LlamaConfig,
    MambaConfig,
    MixtralConfig,
    OPTConfig,
    Phi3Config,
    PreTrainedModel,
    Qwen2Config,
    Qwen3_5TextConfig,
    Qwen3Config,
    SmolLM3Config,
)

from tests.vgpu.test_engines import SMALL, squares
from vgpu import Machine, Run
from vgpu.geometry import Geometry
from vgpu.model import CompositeEngine, VGPUForCausalLM, compose

# Too small for any program, which is all the same to text.
TINY = Geometry(
    width=8, lanes=4, warps=1, registers=4, instructions=16, memory_bytes=64, hidden=256
)
VOCABULARY = 300  # bytes and some
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 64,
    "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": True,
}  # fmt: skip
HOSTS = {
    "llama": LlamaConfig(**SIZES, num_hidden_layers=2),
    # Scaled embeddings, a sliding window shorter than the texts.
    "gemma3": Gemma3TextConfig(
        **SIZES, num_hidden_layers=3, head_dim=16, sliding_window=8,
        layer_types=["sliding_attention", "sliding_attention", "full_attention"],
    ),
    # The flagship's class: a recurrent state beside keys and values.
    "qwen3_5": Qwen3_5TextConfig(
        **SIZES, num_hidden_layers=4, head_dim=16, linear_num_key_heads=2,
        linear_num_value_heads=4, linear_key_head_dim=8, linear_value_head_dim=8,
        layer_types=["linear_attention"] * 3 + ["full_attention"],
    ),
    # Learned positions behind the embedding.
    "gpt2": GPT2Config(vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=512),
}  # fmt: skip
# Decoders of other families, compared more briefly.
OTHERS = {
    "bloom": BloomConfig(vocab_size=VOCABULARY, hidden_size=32, n_layer=2, n_head=4),
    "falcon": FalconConfig(
        vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, num_attention_heads=4
    ),
    "gemma": GemmaConfig(**SIZES, num_hidden_layers=2, head_dim=16),
    "gpt_neox": GPTNeoXConfig(
        vocab_size=VOCABULARY, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4,
    ),
    "mamba": MambaConfig(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2),
    "mixtral": MixtralConfig(**SIZES, num_hidden_layers=2, num_local_experts=4),
    "opt": OPTConfig(
        vocab_size=VOCABULARY, hidden_size=32, ffn_dim=64, num_hidden_layers=2,
        num_attention_heads=4, word_embed_proj_dim=16,
    ),
    "phi3": Phi3Config(**SIZES, num_hidden_layers=2, pad_token_id=0),
    "qwen2": Qwen2Config(**SIZES, num_hidden_layers=2),
    "qwen3": Qwen3Config(**SIZES, num_hidden_layers=2, head_dim=8),
    "smollm3": SmolLM3Config(**SIZES, num_hidden_layers=2, pad_token_id=0),
}  # fmt: skip
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


def make_host(name: str, dtype: torch.dtype = torch.float32) -> PreTrainedModel:
    """The same weights at every call."""
    torch.manual_seed(sum(map(ord, name)))
    host = AutoModelForCausalLM.from_config((HOSTS | OTHERS)[name], dtype=dtype).eval()
    host.generation_config.eos_token_id = None
    host.generation_config.pad_token_id = 0
    assert isinstance(host, PreTrainedModel)
    return host


@cache
def composite(name: str = "llama", geometry: Geometry = SMALL) -> VGPUForCausalLM:
    """A shared model, every exactness check on. Tests that change it make their own."""
    return compose(make_host(name), geometry, check_exact=True)


def run_squares(model: Any, session: Any = None) -> Run:
    """0 + 1 + 4 + 9 over a barrier, on four lanes."""
    return Machine(CompositeEngine(model, session)).run(squares(), {}, block=4)


def tokens(text: str) -> torch.Tensor:
    """One token a byte, [1, n]."""
    return torch.tensor([list(text.encode())])


__all__ = [
    "DTYPES", "HOSTS", "OTHERS", "SIZES", "SMALL", "TINY", "composite", "make_host", "run_squares",
    "squares", "tokens",
]  # fmt: skip
