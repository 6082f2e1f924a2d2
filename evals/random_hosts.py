"""Small hosts with random weights, as folders that `assistant build` takes: what is compared where
the published weights are out of reach.

    qwen3.5   the published checkpoints' class and tensor names, multimodal; linear attention and,
              in every fourth layer, full attention
    llama     SmolLM2's class
    gemma     Gemma 3's class: scaled embeddings, sliding windows shorter than the texts
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

NAMES: Final = ("qwen3.5", "llama", "gemma")
DTYPES: Final[Mapping[str, str]] = {"fp32": "float32", "bf16": "bfloat16"}
_SIZES: Final[Mapping[str, Any]] = {
    "vocab_size": 320, "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "tie_word_embeddings": True,
    "max_position_embeddings": 8192, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip


def write_host(name: str, dtype: str, folder: Path) -> None:
    """Settings, weights and a tokenizer of one token a byte. `name` of `NAMES`; `dtype` a name of
    torch's, in which the weights are stored. The same weights at every call."""
    from assistant.hosts.stand_in import write_checkpoint, write_tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    if name == "qwen3.5":
        write_checkpoint(folder, dtype=dtype)
        return
    import torch
    from transformers import AutoModelForCausalLM, Gemma3TextConfig, LlamaConfig

    settings: Any
    if name == "llama":
        settings = LlamaConfig(**_SIZES, num_hidden_layers=3)
    else:
        kinds = ["sliding_attention", "sliding_attention", "full_attention"]
        settings = Gemma3TextConfig(
            **_SIZES, num_hidden_layers=3, layer_types=kinds, sliding_window=32
        )
    torch.manual_seed(sum(map(ord, name)))
    model = AutoModelForCausalLM.from_config(settings, dtype=getattr(torch, dtype))
    model.save_pretrained(folder)
    write_tokenizer(folder)
