"""Checkpoints of the shape of Qwen3.5's, with random weights: what the loader is tested on.

The class, the tensor names, the sharding and the data type are those of the published checkpoints
(`Qwen3_5ForConditionalGeneration`: language model, vision tower, and `mtp.*` tensors that
transformers does not know). Tensors are made and written one shard at a time, so a checkpoint
of any size needs the memory of one shard.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

# Qwen3.5-2B: 24 layers, every fourth with full attention.
TRUE_SIZE: Mapping[str, Any] = {
    "hidden_size": 2048,
    "num_hidden_layers": 24,
    "intermediate_size": 6144,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 16,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "vocab_size": 248_320,
}
TINY: Mapping[str, Any] = {
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "vocab_size": 320,
}
_TRUE_VISION = {"depth": 24, "hidden_size": 1024, "intermediate_size": 4096}
_TINY_VISION = {"depth": 1, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2}
_INDEX = "model.safetensors.index.json"


def write_checkpoint(
    folder: Path,
    text: Mapping[str, Any] = TINY,
    *,
    shard_bytes: int | None = None,
    text_only: bool = False,
    tied: bool = True,
    dtype: str = "bfloat16",
    seed: int = 1,
) -> None:
    """Writes config.json, the weights and a tokenizer for it into `folder`.

    `shard_bytes`: the most bytes of a file, or None for one file. `text_only`: the class
    `Qwen3_5ForCausalLM` and its `model.*` names instead of the multimodal one's.
    """
    import torch
    from transformers import Qwen3_5Config, Qwen3_5ForCausalLM, Qwen3_5ForConditionalGeneration

    large = text["hidden_size"] >= 1024
    vision = dict(_TRUE_VISION if large else _TINY_VISION, out_hidden_size=text["hidden_size"])
    words = dict(text, tie_word_embeddings=tied, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    config = Qwen3_5Config(text_config=words, vision_config=vision, tie_word_embeddings=tied)
    with torch.device("meta"):
        if text_only:
            model = Qwen3_5ForCausalLM(config.text_config)
        else:
            model = Qwen3_5ForConditionalGeneration(config)
    kind = getattr(torch, dtype)
    model.config.dtype = kind
    model.config.architectures = [type(model).__name__]
    folder.mkdir(parents=True, exist_ok=True)
    model.config.save_pretrained(folder)
    shapes = {name: tuple(p.shape) for name, p in model.named_parameters()}
    if not text_only:
        hidden = text["hidden_size"]
        shapes |= {"mtp.fc.weight": (hidden, 2 * hidden), "mtp.norm.weight": (hidden,)}
    _write_weights(folder, shapes, kind, shard_bytes, seed)
    write_tokenizer(folder)


def _write_weights(
    folder: Path,
    shapes: Mapping[str, tuple[int, ...]],
    dtype: torch.dtype,
    shard_bytes: int | None,
    seed: int,
) -> None:
    """`shard_bytes` None: model.safetensors; otherwise numbered shards and their index."""
    import torch
    from safetensors.torch import save_file

    random = torch.Generator().manual_seed(seed)
    shards = list(_shards(shapes, dtype.itemsize, shard_bytes))
    where = {}
    for number, names in enumerate(shards, start=1):
        file = f"model-{number:05}-of-{len(shards):05}.safetensors"
        if shard_bytes is None:
            file = "model.safetensors"
        tensors = {name: _random(name, shapes[name], dtype, random) for name in names}
        save_file(tensors, folder / file, {"format": "pt"})
        where |= dict.fromkeys(names, file)
    if shard_bytes is not None:
        index = {"metadata": {}, "weight_map": where}
        (folder / _INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")


def _shards(
    shapes: Mapping[str, tuple[int, ...]], item: int, most: int | None
) -> Iterator[list[str]]:
    """Names in order, cut so that no part holds more than `most` bytes (or one tensor)."""
    import math

    part: list[str] = []
    size = 0
    for name, shape in shapes.items():
        bytes_ = math.prod(shape) * item
        if part and most is not None and size + bytes_ > most:
            yield part
            part, size = [], 0
        part.append(name)
        size += bytes_
    yield part


def _random(
    name: str, shape: tuple[int, ...], dtype: torch.dtype, random: torch.Generator
) -> torch.Tensor:
    """Values of a size that keeps activations finite through any number of layers."""
    import torch

    if name.endswith(("A_log", "dt_bias")):
        return torch.rand(shape, generator=random).to(dtype)
    values = torch.empty(shape, dtype=dtype)
    return values.normal_(0, 0.02, generator=random)


def write_tokenizer(folder: Path) -> None:
    """A byte-level tokenizer of 260 tokens with a chat template: any text, one token a byte."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<|im_start|>", "<|im_end|>", "<unk>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {word: index for index, word in enumerate([*special, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=words, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        unk_token="<unk>",
    )
    fast.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    fast.save_pretrained(folder)
