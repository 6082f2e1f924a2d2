"""What a host makes of a text: the inputs of some of its layers, and each token's characters."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assistant.hosts import taps
from vgpu.errors import RunError

if TYPE_CHECKING:
    import torch

# Of one text: states [tokens, layers * hidden], and the characters of every token.
Made = tuple["torch.Tensor", list[tuple[int, int]]]
# Most models gather at their first token what is no token's own [Xiao et al. 2024, attention
# sinks]: its states tell little of the word that stands there, so none of the text's may.
_LEAD = "Question: "
# Short and long, with what tokenizers treat each in their own way.
_TRIED = (
    "What is 12 times 40?",
    "",
    "  Два числа: 3 and 12,\n\ttheir sum? 🙂 e\u0301 I'm ſtuck…",
    " ".join(
        f"Box {i} holds {i * i} pens; how many are left after {i % 7} days?" for i in range(40)
    ),
)


def read(
    model: Any, tokenizer: Any, texts: Sequence[str], layers: Sequence[int], adapter: Any = None
) -> list[Made]:
    """What the model makes of each text; `adapter.active(layers)`, when given, is on meanwhile.

    Tokens of a fixed beginning are among them, with no characters. Texts of unequal length are
    padded behind, where no token sees it. Raises `RunError` when there is no such layer.
    """
    import torch

    own = model.base_model.layers
    if max(layers) >= len(own):
        raise RunError(f"router_layers: it has only {len(own)} layers")
    encoded = [tokenizer(_LEAD + text, return_offsets_mapping=True) for text in texts]
    longest = max(len(e["input_ids"]) for e in encoded)
    ids = torch.zeros(len(encoded), longest, dtype=torch.long)
    mask = torch.zeros(len(encoded), longest, dtype=torch.long)
    for row, one in enumerate(encoded):
        ids[row, : len(one["input_ids"])] = torch.tensor(one["input_ids"])
        mask[row, : len(one["input_ids"])] = 1
    padded = mask.to(model.device) if len(encoded) > 1 else None
    with adapter.active(own) if adapter is not None else contextlib.nullcontext():
        tapped = taps.inputs_of(
            [own[i] for i in sorted(layers)],
            lambda: model.base_model(
                input_ids=ids.to(model.device), attention_mask=padded, use_cache=False
            ),
        )
    states = torch.cat(tapped, dim=-1)
    return [
        (
            states[row, : len(one["input_ids"])],
            [_characters(*span) for span in one["offset_mapping"]],
        )
        for row, one in enumerate(encoded)
    ]


def _characters(start: int, end: int) -> tuple[int, int]:
    """A token's characters in the text, which begins after what was put before it."""
    return max(0, start - len(_LEAD)), max(0, end - len(_LEAD))


def alike(one: tuple[Any, Any], other: tuple[Any, Any], layers: Sequence[int]) -> bool:
    """Whether two models, each with its tokenizer, read some texts the same, bit for bit."""
    import torch

    with torch.inference_mode():
        for text in _TRIED:
            ((states, spans),) = read(*one, [text], layers)
            ((others, other_spans),) = read(*other, [text], layers)
            if spans != other_spans or not torch.equal(states, others):
                return False
    return True
