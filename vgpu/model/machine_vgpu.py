"""The compiled layers: stock Qwen3.5 decoder layers between a word embedding and a word head.

This file travels with exported checkpoints: it imports torch and transformers only.

Everything here is exact integer arithmetic in fp32, which other precision would silently break.
So the parameters stay fp32 whatever the model around them is cast to, the layers call PyTorch's
own rules whatever kernels are installed, and reduced matmul precision is off while they run.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, cast

import torch
from torch import nn
from transformers import DynamicCache, Qwen3_5TextConfig
from transformers.models.qwen3_5 import modeling_qwen3_5 as qwen

CARRIER: Final = 0  # the channel that holds CARRIER_VALUE on every machine word
CARRIER_VALUE: Final = 2.0**40
EPSILON: Final = 1e-6
NO_DECAY: Final = -200.0  # exp(-200) is 0 in fp32, so exp(-exp(A_log) * x) is 1
CHUNK: Final = 128  # positions a forward pass of the layers; any number gives the same
_RULES: Final = (
    "torch_chunk_gated_delta_rule",
    "torch_recurrent_gated_delta_rule",
    "causal_conv1d_fn",
    "causal_conv1d_update",
)
Watch = Callable[[int, torch.Tensor], None] | None


def _reference(function: Any) -> Any:
    """The plain PyTorch function behind the wrappers of transformers."""
    plain = inspect.unwrap(function)
    if not inspect.isfunction(plain) or plain.__module__ != qwen.__name__:
        raise RuntimeError(
            f"{function} hides the reference rule of Qwen3.5: uninstall `kernels` or use another "
            "version of transformers (5.24 is known to work)"
        )
    return plain


def _with_reference_rules() -> Any:
    """The stock mixer's own forward code, its names bound to the reference rules.

    Installed packages (flash-linear-attention, causal_conv1d, hub kernels) replace those names
    with kernels that round differently.
    """
    plain = _reference(qwen.Qwen3_5GatedDeltaNet.forward)
    names = vars(qwen) | {rule: _reference(getattr(qwen, rule)) for rule in _RULES}
    return types.FunctionType(
        plain.__code__, names, plain.__name__, plain.__defaults__, plain.__closure__
    )


class ReferenceMixer(qwen.Qwen3_5GatedDeltaNet):
    """The stock mixer on the reference rules."""

    forward = _with_reference_rules()


@contextmanager
def exact_arithmetic(device: torch.device) -> Iterator[None]:
    """fp32 means fp32: no autocast, no TF32 or bf16 products, no gradients."""
    backends: Any = torch.backends
    settings: list[Any] = [backends.mkldnn.matmul, backends.mkldnn.conv]
    if device.type == "cuda":
        settings = [backends.cuda.matmul, backends.cudnn.conv]
    before = [setting.fp32_precision for setting in settings]
    # "none" takes the global setting. What is exact already is left alone: these are process-wide.
    wide = backends.fp32_precision not in ("none", "ieee")
    reduced = [
        (setting, value)
        for setting, value in zip(settings, before, strict=True)
        if value != "ieee" and (wide or value != "none")
    ]
    for setting, _ in reduced:
        setting.fp32_precision = "ieee"
    try:
        with torch.no_grad(), torch.autocast(device.type, enabled=False):
            yield
    finally:
        for setting, value in reduced:
            setting.fp32_precision = value


def layer_config(hidden: int, sizes: dict[str, int], layers: int) -> Qwen3_5TextConfig:
    """The Qwen3.5 configuration of one compiled layer."""
    return Qwen3_5TextConfig(
        vocab_size=2,
        hidden_size=hidden,
        intermediate_size=sizes["neurons"],
        num_hidden_layers=layers,
        layer_types=["linear_attention"] * layers,
        hidden_act="silu",
        rms_norm_eps=EPSILON,
        linear_conv_kernel_dim=4,
        linear_num_key_heads=sizes["key_heads"],
        linear_num_value_heads=sizes["value_heads"],
        linear_key_head_dim=sizes["key_width"],
        linear_value_head_dim=sizes["value_width"],
    )


def norm_weight(hidden: int) -> torch.Tensor:
    """Makes RMSNorm the identity on every channel and 1 on the carrier.

    The norm divides by K / sqrt(hidden) (the carrier drowns the rest) and multiplies by 1 + weight.
    """
    root = CARRIER_VALUE / hidden**0.5
    weight = torch.full((hidden,), root - 1.0, dtype=torch.float64)
    weight[CARRIER] = 1 / hidden**0.5 - 1.0
    return weight.to(torch.float32)


class VGPUMachine(nn.Module):
    """The machine's layers, embedding [bits, hidden] and head [bits, hidden].

    `sizes`: {"hidden", "layers": [{"key_heads", …, "neurons"}, …]}. Made without weights (on the
    meta device): `fill` them, or let a checkpoint.
    """

    layers: Any
    norm: Any

    def __init__(self, sizes: dict[str, Any], word_bits: int) -> None:
        super().__init__()
        self.sizes = sizes
        self.hidden: int = sizes["hidden"]
        count = len(sizes["layers"])
        configs = [layer_config(self.hidden, layer, count) for layer in sizes["layers"]]
        self.cache_config = configs[0]
        self._later: tuple[dict[str, Any], torch.device] | None = None
        with torch.device("meta"):
            self.embed = nn.Parameter(torch.empty(word_bits, self.hidden, dtype=torch.float32))
            self.layers = nn.ModuleList(
                qwen.Qwen3_5DecoderLayer(config, index) for index, config in enumerate(configs)
            )
            self.norm = qwen.Qwen3_5RMSNorm(self.hidden, eps=EPSILON)
            self.head = nn.Parameter(torch.empty(word_bits, self.hidden, dtype=torch.float32))
        for layer in self.layers:
            layer.linear_attn.__class__ = ReferenceMixer
        super()._apply(lambda tensor: tensor.float() if tensor.is_floating_point() else tensor)
        self.eval().requires_grad_(False)

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> Any:
        """Moves between devices, never to another dtype."""

        if self.asleep:  # there is nothing to move yet
            return self

        def kept(tensor: torch.Tensor) -> torch.Tensor:
            moved = fn(tensor)
            return moved if moved.dtype == tensor.dtype else tensor.to(moved.device)

        return super()._apply(kept, recurse)

    def train(self, mode: bool = True) -> VGPUMachine:
        """Always in inference: checkpointing of gradients would drop the layers' state."""
        return super().train(False)

    @property
    def device(self) -> torch.device:
        return self.embed.device

    @property
    def asleep(self) -> bool:
        """Whether the weights are still to be made, at their first use."""
        return self._later is not None

    def fill_later(self, tensors: dict[str, Any], device: torch.device) -> None:
        """Keeps what `fill` takes, a small part of what it makes, for `wake`."""
        self._later = tensors, device

    def wake(self) -> None:
        """Makes the weights that `fill_later` has put off."""
        if self._later is not None:
            tensors, device = self._later
            self._later = None
            self.fill(tensors)
            self.to(device)

    def matrices(self) -> dict[str, nn.Parameter]:
        """The compiled matrices by name; all other weights are the same for every machine."""
        found = {"head": self.head}
        for index, layer in enumerate(self.layers):
            for part in ("linear_attn.in_proj_qkv", "linear_attn.in_proj_z",
                         "linear_attn.in_proj_b", "linear_attn.out_proj",
                         "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"):  # fmt: skip
                found[f"layers.{index}.{part}"] = layer.get_submodule(part).weight
        return found

    @torch.no_grad()
    def fill(self, tensors: dict[str, Any]) -> None:
        """Expands sparse weights (numpy arrays, see `weights_vgpu`) into the parameters."""
        if self.device.type == "meta":
            self.to_empty(device="cpu")
        self.to_fp32()
        channels = torch.from_numpy(tensors["embed"]).long().to(self.device)
        self.embed.zero_()[torch.arange(len(channels), device=self.device), channels] = 1.0
        for name, weight in self.matrices().items():
            row, column, value = (
                torch.from_numpy(tensors[f"{name}.{part}"]).to(weight.device)
                for part in ("row", "column", "value")
            )
            weight.zero_()[row.long(), column.long()] = value
        self.norm.weight.copy_(norm_weight(self.hidden))
        for layer in self.layers:
            mixer = layer.linear_attn
            mixer.in_proj_a.weight.zero_()
            mixer.dt_bias.zero_()
            mixer.A_log.fill_(NO_DECAY)
            mixer.norm.weight.fill_(1.0)
            mixer.conv1d.weight.zero_()[:, 0, -1] = 1.0
            layer.input_layernorm.weight.copy_(norm_weight(self.hidden))
            layer.post_attention_layernorm.weight.copy_(norm_weight(self.hidden))

    def sparse(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What `fill` takes, and the sizes, read off the parameters."""
        tensors = {"embed": self.embed.argmax(dim=1).to(torch.int32).cpu().numpy()}
        shapes = {}
        for name, weight in self.matrices().items():
            dense = weight.detach().cpu()
            row, column = dense.nonzero(as_tuple=True)
            tensors[f"{name}.row"] = row.to(torch.int32).numpy()
            tensors[f"{name}.column"] = column.to(torch.int32).numpy()
            tensors[f"{name}.value"] = dense[row, column].numpy()
            shapes[name] = list(dense.shape)
        return tensors, {**self.sizes, "shapes": shapes}

    def to_fp32(self) -> None:
        """Undoes a widening: every weight is an fp32 number, so nothing is lost."""
        for parameter in self.parameters():
            parameter.data = parameter.data.to(torch.float32)

    def check_ready(self) -> None:
        """Raises RuntimeError when the weights are missing or not in fp32."""
        if self.device.type == "meta":
            raise RuntimeError(
                "the machine has no weights: load the model with from_pretrained, or make it with "
                "vgpu.model.compose"
            )
        for name, parameter in self.named_parameters():
            if parameter.dtype != torch.float32:
                raise RuntimeError(
                    f"machine.{name} is {parameter.dtype}: the machine is exact in float32 only; "
                    "load the model again without casting or quantising it"
                )

    def new_cache(self) -> DynamicCache:
        """An empty machine: no program, memory and registers all zero."""
        return DynamicCache(config=self.cache_config)

    def blank(self, tokens: int) -> torch.Tensor:
        """The machine's channels of that many text tokens: zeros [1, tokens, hidden]."""
        return torch.zeros(1, tokens, self.hidden, device=self.device)

    def embed_words(self, bits: torch.Tensor) -> torch.Tensor:
        """Words as 0 and 1, float [1, n, bits] -> the machine's channels [1, n, hidden]."""
        stream = bits @ self.embed
        stream[..., CARRIER] = CARRIER_VALUE
        return stream

    def stream(self, stream: torch.Tensor, cache: Any, watch: Watch = None) -> torch.Tensor:
        """The machine's channels [1, n, hidden] after all layers, which go on from `cache`.

        `watch(index, stream)` sees each chunk after each layer. No mask, ever: a mask multiplies.
        """
        self.check_ready()
        if stream.shape[1] == 0:
            return stream
        parts = []
        with exact_arithmetic(self.device):
            for part in torch.split(stream, CHUNK, dim=1):
                for index, layer in enumerate(self.layers):
                    part = layer(part, position_embeddings=None, cache=cache)
                    if watch is not None:
                        watch(index, part)
                parts.append(part)
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)

    def forward(self, bits: torch.Tensor, cache: Any, watch: Watch = None) -> torch.Tensor:
        """Words as 0 and 1, float [1, n, bits] -> logits [1, n, bits]: a bit is 1 when positive."""
        with exact_arithmetic(self.device):
            hidden = self.stream(self.embed_words(bits), cache, watch)
            return cast(torch.Tensor, self.norm(hidden) @ self.head.T)
