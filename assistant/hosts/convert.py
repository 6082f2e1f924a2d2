"""A GGUF file to a folder that `from_pretrained` reads quickly: safetensors and tokenizer."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from assistant.hosts import memory
from assistant.hosts.quiet import quiet


def convert_gguf(gguf: Path, target: Path, dtype: str) -> None:
    """Dequantises `gguf` into `target` with weights of type `dtype` (a torch name).

    A model loaded from GGUF refuses `save_pretrained` because it still counts as quantised, so
    its tensors go into a fresh model of the same shape.
    """
    import torch
    from gguf import GGUFReader
    from transformers import AutoModelForCausalLM, AutoTokenizer

    numbers = sum(int(tensor.n_elements) for tensor in GGUFReader(gguf).tensors)
    # Dequantised in fp32, kept as `dtype`, and copied into the fresh model.
    needed = numbers * (4 + 2 * memory.ITEM_BYTES[dtype]) + memory.OVERHEAD
    memory.check(f"converting {gguf.name}", needed)
    kind = getattr(torch, dtype)
    where = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    # The GGUF reader draws its bar on stderr whatever the verbosity.
    with quiet(), open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        loaded = AutoModelForCausalLM.from_pretrained(**where, dtype=kind)
        tokenizer = AutoTokenizer.from_pretrained(**where)
        config = loaded.config
        if hasattr(config, "quantization_config"):
            del config.quantization_config
        fresh = AutoModelForCausalLM.from_config(config, dtype=kind)
        fresh.load_state_dict(loaded.state_dict())
        fresh.tie_weights()
        fresh.generation_config = loaded.generation_config
        fresh.save_pretrained(target)
        tokenizer.save_pretrained(target)
