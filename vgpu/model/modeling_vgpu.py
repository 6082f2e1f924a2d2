"""A host language model and the machine as one model.

The residual stream in front of the host has the host's channels and, behind them, the machine's.
The compiled layers read and write the machine's channels only. A text token carries zeros there,
which every layer leaves exactly zero, and its embedding goes on unchanged into the host's own
layers. A machine word comes in through the machine's channels and leaves from them as a word.

This file travels with exported checkpoints: it imports torch and transformers only.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch
from torch import nn
from transformers import AutoModelForCausalLM, GenerationMixin, PreTrainedModel
from transformers.initialization import no_init_weights
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.utils.hub import cached_file

from .cache_vgpu import VGPUCache, machine_of
from .configuration_vgpu import VGPUConfig
from .machine_vgpu import CARRIER, CARRIER_VALUE, VGPUMachine
from .weights_vgpu import (
    MANIFEST,
    SPARSE_FILE,
    check_manifest,
    read_sparse,
    write_manifest,
    write_sparse,
)

_HUB_OPTIONS = ("cache_dir", "force_download", "local_files_only", "proxies", "revision",
                "subfolder", "token")  # fmt: skip


class Stream(NamedTuple):
    """The residual stream in front of the host, as two slices (their dtypes may differ).

    `host` [batch, n, host channels]; `machine` [1, batch * n, machine channels]: the tokens of
    all rows one after the other, for there is one machine.
    """

    host: torch.Tensor
    machine: torch.Tensor


@dataclass
class VGPUOutput(CausalLMOutputWithPast):
    """What machine words give. `words` bool [1, n, bits] is `logits` [1, n, bits] > 0."""

    words: torch.Tensor | None = None


class VGPUForCausalLM(PreTrainedModel, GenerationMixin):
    """The host's logits for text, and the machine's words for words.

        model(input_ids=ids).logits             as the host alone gives them, bit for bit
        model(words=words, cache=cache).words   one pass of the machine over words [1, n, bits]

    One cache (`new_cache()`) carries a session of both.
    """

    config_class = VGPUConfig
    base_model_prefix = ""
    main_input_name = "input_ids"
    _no_split_modules = ["Qwen3_5DecoderLayer"]
    _keep_in_fp32_modules_strict = {"machine"}
    _supports_sdpa = True
    _supports_flash_attn = True
    _supports_flex_attn = True
    _supports_attention_backend = True

    host: Any
    machine: VGPUMachine

    def __init__(self, config: VGPUConfig, host: PreTrainedModel | None = None) -> None:
        """With `host`, that very model becomes the host; else one of its configuration is made."""
        super().__init__(config)
        given = host is not None
        self.host = host if given else AutoModelForCausalLM.from_config(config.host_config)
        self.machine = VGPUMachine(config.machine or {}, config.word_bits)
        self._is_stateful = self.host._is_stateful
        if config.machine_weights == "sparse":
            self._keys_to_ignore_on_load_missing = [r"^machine\."]
        if given:
            self.generation_config = self.host.generation_config
            with no_init_weights():
                self.post_init()
            self.train(self.host.training)
        else:
            self.post_init()

    @classmethod
    def around(
        cls, host: PreTrainedModel, config: VGPUConfig, machine: Path | None = None
    ) -> VGPUForCausalLM:
        """The model of a host that is loaded already, and of the machine that `config` describes.

        `machine`: its sparse file, expanded when the first words come (or text that goes through
        the machine). Without one the caller fills the machine. Raises ValueError on a damaged file.
        """
        config = copy.deepcopy(config)
        attention = host.config._attn_implementation  # a configuration around it would reset it
        config.host_config, config.host_weights = host.config, "inside"
        config.tie_word_embeddings = bool(
            getattr(config.get_text_config(), "tie_word_embeddings", False)
        )
        config.dtype = host.dtype
        config._attn_implementation = attention
        model = cls(config, host)
        if machine is not None:
            model.machine.fill_later(read_sparse(machine)[0], host.device)
        return model

    def wake(self) -> None:
        """Makes the machine's layers, where loading has put that off, and probes them."""
        if self.machine.asleep:
            self.machine.wake()
            self.probe()

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        self.wake()
        return super().state_dict(*args, **kwargs)

    def _init_weights(self, module: nn.Module) -> None:
        """The machine is compiled, never initialised; the host's modules see to themselves."""

    # Text

    def forward(
        self,
        input_ids: torch.Tensor | None = None,
        attention_mask: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        cache: Any = None,
        inputs_embeds: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        use_cache: bool | None = None,
        logits_to_keep: int | torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        machine_on_text: bool | None = None,
        past_key_values: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Text (`input_ids` or `inputs_embeds`) or machine words (`words`), never both.

        `words`: 0 and 1 of any dtype, [1, n, bits]. `machine_on_text` overrides the
        configuration's. Everything else is the host's and goes to it. Raises ValueError on both
        or neither kind of input, or on words of another shape.
        """
        cache = past_key_values if cache is None else cache
        given = [x for x in (input_ids, inputs_embeds, words) if x is not None]
        if len(given) != 1:
            raise ValueError("give one of input_ids, inputs_embeds and words")
        if words is not None:
            return self._words(words, cache)
        embeds = self.get_input_embeddings()(input_ids) if inputs_embeds is None else inputs_embeds
        if use_cache is None:
            use_cache = bool(getattr(self.config.get_text_config(), "use_cache", False))
        if use_cache and cache is None and self._supports_default_dynamic_cache():
            cache = self.new_cache()
        if machine_on_text is None:
            machine_on_text = self.config.machine_on_text
        if machine_on_text:
            self.wake()
            stream = Stream(embeds, self.machine.blank(embeds.shape[0] * embeds.shape[1]))
            embeds = self._compiled(stream, cache).host
        options = {
            "attention_mask": attention_mask,
            "position_ids": position_ids,
            "labels": labels,
            "logits_to_keep": logits_to_keep,
            "cache": cache,
        }
        options = {name: value for name, value in options.items() if value is not None}
        return self.host(inputs_embeds=embeds, use_cache=use_cache, **options, **kwargs)

    def _compiled(self, stream: Stream, cache: Any) -> Stream:
        """The stream after the compiled layers, which touch the machine's channels only."""
        state = machine_of(cache, self.machine.new_cache) if cache is not None else None
        watch = _unchanged if self.config.check_exact else None
        return stream._replace(machine=self.machine.stream(stream.machine, state, watch))

    # Machine words

    def _words(self, words: torch.Tensor, cache: Any) -> VGPUOutput:
        self.wake()
        bits = self.config.word_bits
        if words.ndim != 3 or words.shape[0] != 1 or words.shape[2] != bits:
            raise ValueError(f"words must be [1, n, {bits}], not {list(words.shape)}")
        cache = self.new_cache() if cache is None else cache
        state = machine_of(cache, self.machine.new_cache)
        given = words.to(device=self.machine.device, dtype=torch.float32)
        if not ((given == 0) | (given == 1)).all():
            raise ValueError("words must hold 0 and 1 only")
        logits = self.machine(given, state, _integers if self.config.check_exact else None)
        return VGPUOutput(logits=logits, words=logits > 0, cache=cache)

    def new_cache(self) -> VGPUCache:
        """An empty session: no text, and an empty machine."""
        return VGPUCache(self.config.get_text_config(decoder=True), self.machine.new_cache())

    def probe(self) -> None:
        """Two words written to memory in one pass and read in the next.

        Raises RuntimeError when they do not come back: damaged weights, or a transformers that
        restarts the layers' state between passes (before its pull request 45513).
        """
        geometry, fields = self.config.geometry, self.config.word
        address = geometry["memory_bytes"] // 2
        value = 0xA5C3A5C3 & ((1 << geometry["width"]) - 1)
        words = torch.zeros(2, 2, self.config.word_bits)
        for index in range(2):
            self._put(words[0, index], mem=1, addr=address + 4 * index, value=value >> index)
            self._put(words[1, index], read=1, addr=address + 4 * index)
        cache = self.new_cache()
        self(words=words[:1], cache=cache)
        came = self(words=words[1:], cache=cache).words[0]
        at, width = fields["value"]
        read = [sum(int(bit) << i for i, bit in enumerate(row[at : at + width])) for row in came]
        if read != [value, value >> 1]:
            raise RuntimeError(
                "the machine does not remember from pass to pass: its weights are damaged, or this "
                "version of transformers restarts their state (5.24 is known to work)"
            )

    def _put(self, word: torch.Tensor, **values: int) -> None:
        for name, value in values.items():
            at, width = self.config.word[name]
            for bit in range(width):
                word[at + bit] = value >> bit & 1

    # What the host decides for text

    @property
    def base_model(self) -> nn.Module:
        return cast(nn.Module, self.host.base_model)

    def get_input_embeddings(self) -> nn.Module:
        return cast(nn.Module, self.host.get_input_embeddings())

    def set_input_embeddings(self, value: nn.Module) -> None:
        self.host.set_input_embeddings(value)

    def get_output_embeddings(self) -> nn.Module | None:
        return cast("nn.Module | None", self.host.get_output_embeddings())

    def set_output_embeddings(self, value: nn.Module) -> None:
        self.host.set_output_embeddings(value)

    def prepare_inputs_for_generation(
        self, input_ids: torch.Tensor, inputs_embeds: torch.Tensor | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        prepare = self.host.prepare_inputs_for_generation
        return cast("dict[str, Any]", prepare(input_ids, inputs_embeds=inputs_embeds, **kwargs))

    def _prepare_position_ids_for_generation(self, *args: Any, **kwargs: Any) -> Any:
        return self.host._prepare_position_ids_for_generation(*args, **kwargs)

    def _supports_default_dynamic_cache(self) -> bool:  # type: ignore[override]
        return bool(self.host._supports_default_dynamic_cache())

    def _supports_logits_to_keep(self) -> bool:
        return bool(self.host._supports_logits_to_keep())

    def set_use_kernels(self, *args: Any, **kwargs: Any) -> None:
        """Hub kernels are for the host's layers; the machine's stay on the reference rules."""
        self.host.set_use_kernels(*args, **kwargs)

    def gradient_checkpointing_enable(self, *args: Any, **kwargs: Any) -> None:
        self.host.gradient_checkpointing_enable(*args, **kwargs)

    def gradient_checkpointing_disable(self) -> None:
        self.host.gradient_checkpointing_disable()

    # On disk

    def save_pretrained(  # type: ignore[override]
        self,
        save_directory: Any,
        is_main_process: bool = True,
        state_dict: dict[str, torch.Tensor] | None = None,
        **kwargs: Any,
    ) -> None:
        """As for any model; the machine's weights go into a sparse file of a few MB (or, with
        `config.machine_weights = "dense"`, with the host's), and every file's hash into a list."""
        folder = Path(save_directory)
        if is_main_process:
            (folder / MANIFEST).unlink(missing_ok=True)  # not complete until it is there again
        state = self.state_dict() if state_dict is None else state_dict
        if self.config.machine_weights == "sparse":
            state = {k: v for k, v in state.items() if not k.startswith("machine.")}
        super().save_pretrained(folder, is_main_process, state, **kwargs)
        if is_main_process:
            if self.config.machine_weights == "sparse":
                write_sparse(*self.machine.sparse(), folder / SPARSE_FILE)
            else:
                (folder / SPARSE_FILE).unlink(missing_ok=True)
            saved = ("*.safetensors", "*.safetensors.index.json", "*config.json", "*_vgpu.py")
            write_manifest(folder, {path.name for each in saved for path in folder.glob(each)})

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *args: Any, **kwargs: Any) -> Any:
        """As for any model. Raises ValueError, with the mend, when a file is damaged."""
        options = {name: kwargs[name] for name in _HUB_OPTIONS if kwargs.get(name) is not None}

        def at(name: str) -> Path:
            return Path(str(cached_file(pretrained_model_name_or_path, name, **options)))

        local = Path(pretrained_model_name_or_path or "", options.get("subfolder", ""))
        if pretrained_model_name_or_path and local.is_dir():
            check_manifest(local)
        config = kwargs.get("config")
        if not isinstance(config, VGPUConfig):
            config = VGPUConfig.from_pretrained(pretrained_model_name_or_path, **options)
        if config.host_weights == "own":
            host = AutoModelForCausalLM.from_pretrained(
                pretrained_model_name_or_path, *args, **{**kwargs, "config": config.host_config}
            )
            host, *told = host if isinstance(host, tuple) else (host,)
            model = cls.around(host, config, at(SPARSE_FILE))
            model.wake()
            return (model, *told) if told else model
        loaded = super().from_pretrained(pretrained_model_name_or_path, *args, **kwargs)
        model = loaded[0] if isinstance(loaded, tuple) else loaded
        if model.config.machine_weights == "sparse":
            model.machine.fill(read_sparse(at(SPARSE_FILE))[0])
        model.machine.to_fp32()
        model.probe()
        return loaded


def _unchanged(index: int, stream: torch.Tensor) -> None:
    if stream.any():
        raise AssertionError(f"compiled layer {index} changed the machine's channels of text")


def _integers(index: int, stream: torch.Tensor) -> None:
    carrier = stream[..., CARRIER]
    if not torch.equal(stream, stream.round()) or not (carrier == CARRIER_VALUE).all():
        raise AssertionError(f"compiled layer {index} left a channel that is not an integer")
