"""The layers of a Llama in PyTorch alone: what a router reads, without transformers.

Importing transformers takes longer than all else that a routed question needs. A host whose states
come out of these layers bit for bit as out of transformers', which is tried when it is checked
(`Host.load`), is read through them until its own text is wanted. [Touvron et al. 2023, LLaMA]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from assistant.hosts import checkpoint

# A setting that changes what the layers do, and the one value of it that they are made for.
_MADE_FOR: Mapping[str, Any] = {
    "model_type": "llama", "hidden_act": "silu", "attention_bias": False, "mlp_bias": False,
    "quantization_config": None, "pretraining_tp": 1,
}  # fmt: skip
_PREFIX = "model."


class _Linear(nn.Linear):
    def reset_parameters(self) -> None:
        """Nothing: its weights are about to be assigned."""


class _Embedding(nn.Embedding):
    def reset_parameters(self) -> None:
        """Nothing: its weights are about to be assigned."""


class _Norm(nn.Module):
    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))
        self.epsilon = epsilon

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return self.weight * wide.to(x.dtype)


class _Attention(nn.Module):
    def __init__(self, width: int, heads: int, shared: int, size: int) -> None:
        super().__init__()
        self.size, self.groups = size, heads // shared
        self.q_proj = _Linear(width, heads * size, bias=False)
        self.k_proj = _Linear(width, shared * size, bias=False)
        self.v_proj = _Linear(width, shared * size, bias=False)
        self.o_proj = _Linear(heads * size, width, bias=False)

    def forward(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        query, key, value = (
            project(x).unflatten(-1, (-1, self.size)).transpose(1, 2)
            for project in (self.q_proj, self.k_proj, self.v_proj)
        )
        query, key = _turned(query, *turn), _turned(key, *turn)
        key, value = (t.repeat_interleave(self.groups, 1) for t in (key, value))
        out = functional.scaled_dot_product_attention(
            query, key, value, is_causal=x.shape[1] > 1, scale=self.size**-0.5
        )
        return self.o_proj(out.transpose(1, 2).flatten(-2))


def _turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary positions. [Su et al. 2021, RoFormer]"""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class _Gated(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate_proj = _Linear(width, inner, bias=False)
        self.up_proj = _Linear(width, inner, bias=False)
        self.down_proj = _Linear(inner, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class _Layer(nn.Module):
    """Its parts have the names that a Llama's tensors have, so an adapter finds them."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__()
        width, heads = settings["hidden_size"], settings["num_attention_heads"]
        shared, epsilon = settings["num_key_value_heads"], settings["rms_norm_eps"]
        self.self_attn = _Attention(width, heads, shared, _head_size(settings))
        self.mlp = _Gated(width, settings["intermediate_size"])
        self.input_layernorm = _Norm(width, epsilon)
        self.post_attention_layernorm = _Norm(width, epsilon)

    def forward(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        x = x + self.self_attn(self.input_layernorm(x), turn)
        return x + self.mlp(self.post_attention_layernorm(x))


class Body(nn.Module):
    """Embedding and layers of a host, for one text at a time."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__()
        self.settings = settings
        self.embed_tokens = _Embedding(settings["vocab_size"], settings["hidden_size"])
        count = settings["num_hidden_layers"]
        self.layers = nn.ModuleList(_Layer(settings) for _ in range(count))

    @property
    def base_model(self) -> Body:
        """Itself: a model of transformers has its layers there."""
        return self

    @property
    def device(self) -> torch.device:
        return self.embed_tokens.weight.device

    def forward(
        self, input_ids: torch.Tensor, attention_mask: None = None, use_cache: bool = False
    ) -> torch.Tensor:
        """The last layer's states [1, tokens, hidden] for tokens [1, tokens]. It has no padding and
        keeps nothing: the other arguments are those of transformers, at their only values."""
        x = self.embed_tokens(input_ids)
        turn = self._turn(input_ids.shape[1], x.dtype)
        for layer in self.layers:
            x = layer(x, turn)
        return x

    def _turn(self, length: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosines and sines [tokens, head size] of the rotary positions."""
        size = _head_size(self.settings)
        steps = torch.arange(0, size, 2, dtype=torch.float) / size
        slowest = 1.0 / (self.settings["rope_parameters"]["rope_theta"] ** steps)
        angles = torch.arange(length)[:, None].float() * slowest
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().to(dtype), angles.sin().to(dtype)


class Tokens:
    """The host's tokenizer.json, with the part of transformers' interface that reading needs."""

    def __init__(self, root: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(root / "tokenizer.json"))
        # transformers cuts and pads only where it is asked to.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def __call__(self, text: str, return_offsets_mapping: bool = True) -> dict[str, Any]:
        made = self._tokenizer.encode(text)
        return {"input_ids": made.ids, "offset_mapping": made.offsets}


def load(root: Path, dtype: str) -> tuple[Body, Tokens] | None:
    """The layers and the tokenizer of a host's folder; None when they are not made for it. Its
    tensors are the mapped file, as far as their type is the wanted one."""
    try:
        return _load(root, dtype)
    except Exception:  # whatever a stranger's settings and files say: transformers may know it
        return None


def _load(root: Path, dtype: str) -> tuple[Body, Tokens] | None:
    settings = checkpoint.read_json(checkpoint.settings_file(root))
    if not _fits(settings) or not (root / "tokenizer.json").is_file():
        return None
    from safetensors import safe_open

    body = Body(settings)
    wanted = set(body.state_dict())
    found: dict[str, torch.Tensor] = {}
    for path in checkpoint.weight_files(root):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118  it is not a mapping
                if (own := name.removeprefix(_PREFIX)) in wanted:
                    found[own] = file.get_tensor(name).to(getattr(torch, dtype))
    if set(found) != wanted:
        return None
    body.load_state_dict(found, assign=True)
    return body.eval().requires_grad_(False), Tokens(root)


def _head_size(settings: Mapping[str, Any]) -> int:
    size = settings.get("head_dim") or settings["hidden_size"] // settings["num_attention_heads"]
    return int(size)


def _fits(settings: Mapping[str, Any]) -> bool:
    """Whether a host's settings ask for nothing that the layers here do not do."""
    rope = settings.get("rope_parameters") or {}
    return (
        all(settings.get(name, value) == value for name, value in _MADE_FOR.items())
        and settings.get("model_type") == _MADE_FOR["model_type"]
        and rope.get("rope_type", "default") == "default"
        and "rope_theta" in rope
        and "num_key_value_heads" in settings
    )
