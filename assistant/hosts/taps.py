"""What layers of a model are given, caught while it runs, and nothing run beyond them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class _Reached(Exception):
    """No later layer is wanted."""


def inputs_of(layers: Sequence[Any], run: Callable[[], Any]) -> list[torch.Tensor]:
    """The hidden states [batch, tokens, hidden] that each of `layers` is given during `run`, which
    ends at the last of them: they stand in the order in which it comes to them."""
    caught: dict[int, torch.Tensor] = {}

    def hook(index: int) -> Any:
        def catch(_module: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            caught[index] = inputs[0] if inputs else kwargs["hidden_states"]
            if index == len(layers) - 1:
                raise _Reached

        return catch

    handles = [
        layer.register_forward_pre_hook(hook(index), with_kwargs=True)
        for index, layer in enumerate(layers)
    ]
    try:
        with contextlib.suppress(_Reached):
            run()
    finally:
        for handle in handles:
            handle.remove()
    return [caught[index] for index in range(len(layers))]
