"""A composite model from a host and a geometry."""

from __future__ import annotations

from os import PathLike
from typing import Any, cast

import torch

from vgpu.errors import InputError
from vgpu.geometry import DEFAULT, Geometry
from vgpu.model.configuration_vgpu import VGPUConfig
from vgpu.model.modeling_vgpu import VGPUForCausalLM
from vgpu.network import network_for
from vgpu.store import flatten, machine_settings


def compose(
    host: Any,
    geometry: Geometry = DEFAULT,
    *,
    machine_on_text: bool = True,
    check_exact: bool = False,
) -> VGPUForCausalLM:
    """One model of a host and the machine.

    `host`: a causal language model of transformers, which is used as it is (not copied), or a
    folder or hub name to load one from. Raises InputError when it cannot be a host.
    """
    if isinstance(host, (str, PathLike)):
        from transformers import AutoModelForCausalLM

        host = AutoModelForCausalLM.from_pretrained(host)
    check_host(host)
    network = network_for(geometry)
    config = VGPUConfig(
        **machine_settings(network, geometry),
        machine_on_text=machine_on_text,
        check_exact=check_exact,
    )
    model = VGPUForCausalLM.around(host, config)
    model.machine.fill(flatten(network)[0])
    model.machine.to(host.device)
    return model


def check_host(host: Any) -> None:
    """Raises InputError unless the host takes embeddings in place of tokens and gives the very
    same logits, and transformers can make it again from its configuration."""
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, PreTrainedModel

    name = type(host).__name__
    if not isinstance(host, PreTrainedModel) or not host.can_generate():
        raise InputError(f"{name} is not a causal language model of transformers")
    if isinstance(host, VGPUForCausalLM):
        raise InputError(f"{name} has the machine inside already: give its host")
    if host.config.is_encoder_decoder:
        raise InputError(f"{name} has an encoder: a host is a decoder alone")
    made: Any = MODEL_FOR_CAUSAL_LM_MAPPING.get(type(host.config), None)
    if made is None or type(host) is not made:
        raise InputError(
            f"{name} is not what AutoModelForCausalLM makes of its configuration: load the text "
            "model alone"
        )
    if host.device.type != "meta" and not _takes_embeddings(host):
        raise InputError(
            f"{name} reads its tokens again behind their embedding (per-layer embeddings, for "
            "example): it cannot be a host"
        )


@torch.no_grad()
def _takes_embeddings(host: Any) -> bool:
    size = cast(int, host.config.get_text_config().vocab_size)
    tokens = torch.arange(1, 7, device=host.device)[None] * 7 % size
    was = host.training
    host.eval()
    try:
        embeds = host.get_input_embeddings()(tokens)
        want = host(input_ids=tokens, use_cache=False).logits
        return torch.equal(want, host(inputs_embeds=embeds, use_cache=False).logits)
    except (TypeError, ValueError, NotImplementedError, AttributeError):
        return False
    finally:
        host.train(was)
