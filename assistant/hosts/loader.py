"""A host's weights from its folder into memory: the text part only, each tensor once.

transformers makes the module without storage and assigns the tensors as it reads them; where the
type stays as stored, a tensor on a CPU is the mapped file itself, so no second copy exists and
pages come from disk as they are first used.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from assistant.hosts import checkpoint, memory
from assistant.hosts.quiet import quiet
from assistant.hosts.store import MACHINE
from vgpu.errors import InputError, RunError


def needed_bytes(root: Path, dtype: str) -> int:
    """Memory for the weights of the text part as `dtype`, and for what runs them."""
    return checkpoint.text_parameters(root) * memory.ITEM_BYTES[dtype] + memory.OVERHEAD


def import_class(root: Path) -> None:
    """Imports the module of the host's architecture, most of a small host's start-up."""
    import importlib

    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: F401

    kind = checkpoint.read_json(checkpoint.settings_file(root)).get("model_type", "")
    module = kind.removesuffix("_text").replace("-", "_")
    with contextlib.suppress(ImportError), quiet():
        importlib.import_module(f"transformers.models.{module}.modeling_{module}")


def check_device(device: str) -> None:
    """Raises `InputError` unless PyTorch has the device here."""
    import torch

    has = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not has[device]:
        raise InputError(f'device: PyTorch {torch.__version__} has no "{device}" here: use cpu')


def join(host: Any, root: Path) -> Any:
    """A loaded host and the machine of its folder as one model (`vgpu.model.VGPUForCausalLM`). The
    machine's layers are made when the first words come."""
    from vgpu.model import VGPUConfig, VGPUForCausalLM

    with quiet():
        config = VGPUConfig.from_pretrained(root, local_files_only=True)
        return VGPUForCausalLM.around(host, config, root / MACHINE)


def refusal(host: Any, label: str) -> str:
    """Why a loaded host cannot be one, in one line; empty when it can. It reads a few tokens."""
    from vgpu.model import check_host

    try:
        with quiet():
            check_host(host)
    except InputError as error:
        return f"host {label}: {error}; choose another host"
    return ""


def check_memory(root: Path, label: str, dtype: str, device: str) -> None:
    """Raises `RunError` when the device has too little left for the host."""
    memory.check(f"host {label}", needed_bytes(root, dtype), device)


def load_model(root: Path, label: str, dtype: str, device: str) -> Any:
    """The host alone, ready to run. Raises `RunError` in one line."""
    import torch
    from transformers import AutoModelForCausalLM

    check_device(device)
    check_memory(root, label, dtype, device)
    # A tensor that is read goes straight to its device.
    place = {} if device == "cpu" else {"device_map": device}
    with quiet():
        try:
            model, told = AutoModelForCausalLM.from_pretrained(
                root,
                dtype=getattr(torch, dtype),
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
                config=_config(root),
                **place,
            )
        except Exception as error:  # whatever a stranger's files do in transformers
            _explain(root, label, error)
    missing = sorted(told["missing_keys"])
    if missing:
        # transformers would fill them with random numbers.
        raise RunError(
            f"host {label}: the checkpoint lacks {missing[0]}"
            + (f" and {len(missing) - 1} more" if missing[1:] else "")
            + ": it is not whole, or not of the architecture that its config.json says"
        )
    return model.eval()


def load_tokenizer(root: Path, label: str) -> Any:
    from transformers import AutoTokenizer

    with quiet():
        try:
            return AutoTokenizer.from_pretrained(
                root, config=_config(root), local_files_only=True, trust_remote_code=False
            )
        except Exception as error:
            raise RunError(
                f"host {label}: its tokenizer cannot be loaded: {str(error).splitlines()[0]}"
            ) from None


def _config(root: Path) -> Any:
    """The host's own configuration. Raises KeyError on an architecture that is not known."""
    from transformers import CONFIG_MAPPING

    settings = checkpoint.read_json(checkpoint.settings_file(root))
    config = CONFIG_MAPPING[settings.get("model_type", "")].from_dict(settings)
    config.name_or_path = str(root)
    return config


def _explain(root: Path, label: str, error: Exception) -> None:
    """Raises the `RunError` that says why."""
    checkpoint.check_architecture(checkpoint.settings_file(root), label)
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    raise RunError(f"host {label}: cannot be loaded: {reason}") from None
