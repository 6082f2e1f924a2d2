"""A loaded host: hidden states for the router, plain chat for the person.

PyTorch and transformers are imported at the first use, not with this module.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.config import Config, cache_dir
from assistant.hosts import fetch, store
from assistant.hosts.quiet import quiet
from vgpu.errors import RunError

if TYPE_CHECKING:
    import torch

_BATCH_TOKENS = 1024


def open_host(config: Config, name: str | None = None, *, force: bool = False) -> Host:
    """The configured host, fetched and converted when the cache does not hold it yet."""
    name, entry = config.host(name)
    stored = fetch.obtain(cache_dir(), name, entry, config["hub_timeout"], force=force)
    stored.verify()
    label = entry.get("label", name)
    return Host(stored, label, tuple(entry["router_layers"]), entry["dtype"], config["threads"])


class _Reached(Exception):
    """Stops a forward pass at the last layer whose input was wanted."""


class Host:
    """A causal language model on disk, loaded when first asked."""

    def __init__(
        self,
        stored: store.Stored,
        label: str,
        router_layers: tuple[int, ...],
        dtype: str,
        threads: int,
    ) -> None:
        self.name = stored.name
        self.label = label
        self.digest = stored.digest
        self.source = stored.source
        self.router_layers = router_layers
        self._root: Path = stored.root
        self._dtype = dtype
        self._threads = threads
        self._model: Any = None
        self._tokenizer: Any = None

    def load(self) -> tuple[Any, Any]:
        """Model and tokenizer, read from disk at the first call."""
        if self._model is None:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer

            if self._threads:
                torch.set_num_threads(self._threads)
            with quiet():
                try:
                    self._tokenizer = AutoTokenizer.from_pretrained(self._root)
                    self._model = AutoModelForCausalLM.from_pretrained(
                        self._root, dtype=getattr(torch, self._dtype)
                    ).eval()
                except (OSError, ValueError) as error:
                    reason = str(error).splitlines()[0]
                    raise RunError(f"host {self.name}: cannot be loaded: {reason}") from None
        return self._model, self._tokenizer

    def features(self, texts: Sequence[str], progress: Any = None) -> torch.Tensor:
        """Hidden states, averaged over each text's tokens: fp32 [texts, layers * hidden].

        One average for each of `router_layers`, side by side. Texts of equal token count share
        a batch, so no padding enters an average.
        """
        import torch

        model, tokenizer = self.load()
        ids = [tokenizer(text)["input_ids"] for text in texts]
        rows: list[Any] = [None] * len(ids)
        by_length: dict[int, list[int]] = {}
        for index, tokens in enumerate(ids):
            by_length.setdefault(len(tokens), []).append(index)
        done = 0
        for length, indices in sorted(by_length.items()):
            step = max(1, _BATCH_TOKENS // max(1, length))
            for start in range(0, len(indices), step):
                part = indices[start : start + step]
                states = self._states(model, torch.tensor([ids[i] for i in part]))
                means = torch.cat([state.float().mean(dim=1) for state in states], dim=-1)
                for row, index in zip(means, part, strict=True):
                    rows[index] = row
                done += len(part)
                if progress:
                    progress(done, len(ids))
        return torch.stack(rows)

    def _states(self, model: Any, tokens: torch.Tensor) -> list[torch.Tensor]:
        """The inputs of `router_layers`, each [batch, tokens, hidden]; no later layer runs."""
        import torch

        layers = model.base_model.layers
        last = max(self.router_layers)
        if last >= len(layers):
            raise RunError(f"host {self.name}: router_layers: it has only {len(layers)} layers")
        caught: dict[int, torch.Tensor] = {}

        def catch(index: int, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            caught[index] = inputs[0] if inputs else kwargs["hidden_states"]
            if index == last:
                raise _Reached

        def hook(index: int) -> Any:
            return lambda _module, inputs, kwargs: catch(index, inputs, kwargs)

        handles = [
            layers[i].register_forward_pre_hook(hook(i), with_kwargs=True)
            for i in self.router_layers
        ]
        try:
            with torch.inference_mode(), contextlib.suppress(_Reached):
                model.base_model(input_ids=tokens, use_cache=False)
        finally:
            for handle in handles:
                handle.remove()
        return [caught[i].clone() for i in self.router_layers]

    def chat(self, messages: Sequence[dict[str, str]], max_tokens: int) -> Iterator[str]:
        """The host's own reply in pieces, as they are generated (greedy)."""
        from threading import Thread

        from transformers import TextIteratorStreamer

        model, tokenizer = self.load()
        inputs = tokenizer.apply_chat_template(
            list(messages), add_generation_prompt=True, return_tensors="pt", return_dict=True
        )
        streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, skip_special_tokens=True)
        arguments = dict(inputs) | {
            "streamer": streamer,
            "max_new_tokens": max_tokens,
            "do_sample": False,
            "repetition_penalty": 1.1,
        }
        with quiet():
            thread = Thread(target=model.generate, kwargs=arguments, daemon=True)
            thread.start()
            yield from streamer
            thread.join()
