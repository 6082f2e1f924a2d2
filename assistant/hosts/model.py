"""A loaded host, the machine inside: hidden states for the router, plain chat for the person.

PyTorch and transformers are imported at the first use, not with this module.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from assistant.config import Config, cache_dir
from assistant.hosts import checkpoint, fetch, reading, store
from assistant.hosts.quiet import quiet
from vgpu.errors import RunError

# A host without a chat template is a base model: it continues a dialogue.
_ROLES = {"user": "User", "assistant": "Assistant", "system": "Note"}


def open_host(
    config: Config, name: str | None = None, *, force: bool = False, accepted: bool = False
) -> Host:
    """The configured host, fetched and converted when the cache does not hold it yet.

    Its files are hashed in the background while PyTorch is imported; `Host.load` waits for that.
    """
    key, entry = config.host(name)
    stored = fetch.obtain(
        cache_dir(), key, entry, config["hub_timeout"], force=force, accepted=accepted
    )
    return host_of(stored, entry, config)


def host_of(stored: store.Stored, entry: Mapping[str, Any], config: Config) -> Host:
    """The host of a folder in the cache, by its entry and the settings. Raises `RunError` when a
    file is missing, or its settings are damaged."""
    stored.check()
    return Host(
        stored,
        entry.get("label", stored.name),
        tuple(entry.get("router_layers") or _middle_layers(stored.root)),
        entry.get("dtype", "bfloat16"),
        config["threads"],
        config["device"],
    )


def _middle_layers(root: Path) -> tuple[int, ...]:
    """Near the words, and a third and a half of the way up: what serves SmolLM2 best."""
    depth = checkpoint.text_config(root).get("num_hidden_layers", 2)
    return tuple(sorted({1, depth // 3, depth // 2}))


class Host:
    """A causal language model on disk, loaded when first asked."""

    def __init__(
        self,
        stored: store.Stored,
        label: str,
        router_layers: tuple[int, ...],
        dtype: str,
        threads: int,
        device: str = "cpu",
    ) -> None:
        self.name = stored.name
        self.label = label
        self._stored = stored
        self.digest = stored.digest
        self.source = stored.source
        self.router_layers = router_layers
        self._root: Path = stored.root
        self._dtype = dtype
        self._threads = threads
        self._device = device
        self._verified = _start(stored)
        self._model: Any = None
        self._light: tuple[Any, Any] | None = None
        self._tokenizer: Any = None

    @cached_property
    def parameters(self) -> int:
        """How many numbers the host's text model has, by its files."""
        return checkpoint.text_parameters(self._root)

    def check(self) -> None:
        """Whether this can be a host at all: its verdict, or, where there is none for this
        transformers yet, a first load, which makes one. Raises `RunError` when it cannot."""
        if not self._checked():
            self.load()

    def _checked(self) -> bool:
        """By the verdict that is kept. Raises `RunError` when that is a refusal."""
        kept = self._stored.verdict
        if kept is None or kept.light is None:
            return False
        if kept != replace(self._current(), refused=kept.refused, light=kept.light):
            return False
        if kept.refused:
            raise RunError(kept.refused)
        return True

    def _current(self) -> store.Verdict:
        return store.Verdict(importlib.metadata.version("transformers"), self._dtype)

    def load(self) -> tuple[Any, Any]:
        """Host and machine as one model, and the tokenizer, read from disk at the first call once
        every file is verified. The machine's layers are made when it is first given words.

        A host that was never checked is checked here, and the verdict kept with it.
        """
        if self._model is None:
            with self._damage_first():
                self._load()
            self._light = None  # what reads from here on is the whole model
        return self._model, self._tokenizer

    def _load(self) -> None:
        checked = self._checked()
        import torch

        from assistant.hosts import loader

        if self._threads:
            torch.set_num_threads(self._threads)
        # The modules are imported while the files are still being hashed.
        try:
            loader.import_class(self._root)
        finally:
            self._verified.result()
        self._tokenizer = loader.load_tokenizer(self._root, self.label)
        host = loader.load_model(self._root, self.label, self._dtype, self._device)
        refused = "" if checked else loader.refusal(host, self.label)
        if not refused:
            self._model = loader.join(host, self._root)
        if not checked:
            self._judge(refused, light=not refused and self._alike())

    @contextlib.contextmanager
    def _damage_first(self) -> Iterator[None]:
        """Files can change after they were hashed: what fails while they are read is told as
        damage where it is that. Raises `RunError` then, with the mend."""
        try:
            yield
        except (RunError, OSError, ValueError):
            self._stored.verify(full=True)
            raise

    def open(self) -> None:
        """Reads from disk what `read` needs: all of it, or, where that reads the same, the layers
        alone. Raises what `load` raises."""
        self._reading()

    @property
    def layers(self) -> Any:
        """The modules whose inputs `read` gives, by their number; an adapter adds to them."""
        return self._reading()[0].base_model.layers

    def _reading(self) -> tuple[Any, Any]:
        """The model that reads one text, whole or light, and the tokenizer."""
        if self._model is None and self._light is None and self._light_serves():
            from assistant.hosts import loader

            loader.check_device(self._device)  # imports PyTorch, while the files are hashed
            self._verified.result()
            with self._damage_first():
                loader.check_memory(self._root, self.label, self._dtype, self._device)
                self._light = self._open_light()
        return self._light or self.load()

    def _light_serves(self) -> bool:
        return self._checked() and bool(self._stored.verdict and self._stored.verdict.light)

    def _open_light(self) -> tuple[Any, Any] | None:
        """The layers alone and the tokenizer; None where they are not made for the host."""
        import torch

        from assistant.hosts import body

        if self._threads:
            torch.set_num_threads(self._threads)
        return body.load(self._root, self._dtype) if self._device == "cpu" else None

    def _alike(self) -> bool:
        """Whether the layers alone read as the whole model does."""
        light = self._open_light()
        if light is None:
            return False
        every = range(len(light[0].layers))
        return reading.alike((self._model, self._tokenizer), light, every)

    def _judge(self, refused: str, *, light: bool) -> None:
        """Keeps the verdict. Raises `RunError` when the host is refused."""
        verdict = replace(self._current(), refused=refused, light=light)
        store.judge(self._stored, verdict)
        self._stored = replace(self._stored, verdict=verdict)
        if refused:
            raise RunError(refused)

    def read(
        self, texts: Sequence[str], adapter: Any = None, layers: Sequence[int] = ()
    ) -> list[reading.Made]:
        """What the host makes of each text (`reading.read`), by the inputs of `layers` or, where
        none are named, of `router_layers`. Gradients are kept as the caller has them."""
        model, tokenizer = self._reading() if len(texts) == 1 else self.load()
        try:
            return reading.read(model, tokenizer, texts, layers or self.router_layers, adapter)
        except RunError as error:
            raise RunError(f"host {self.name}: {error}") from None

    def chat(self, messages: Sequence[dict[str, str]], max_tokens: int) -> Iterator[str]:
        """The host's own reply in pieces, as they are generated (greedy)."""
        from threading import Thread

        from transformers import TextIteratorStreamer

        model, tokenizer = self.load()
        streamer = TextIteratorStreamer(tokenizer, skip_prompt=True, skip_special_tokens=True)
        arguments = _prompt(tokenizer, messages, model.device) | {
            "streamer": streamer,
            "max_new_tokens": max_tokens,
            "do_sample": False,
            "repetition_penalty": 1.1,
            # The same logits either way: past the compiled layers it is quicker.
            "machine_on_text": False,
        }
        failure: list[BaseException] = []

        def generate() -> None:
            try:
                model.generate(**arguments)
            except BaseException as error:
                failure.append(error)
                # Without its end the reader would wait for ever.
                streamer.end()

        with quiet():
            thread = Thread(target=generate, daemon=True)
            thread.start()
            yield from streamer if tokenizer.chat_template else _first_line(streamer)
            thread.join()
        if failure:
            raise RunError(f"host {self.name}: {str(failure[0]).splitlines()[0]}")


def _start(stored: store.Stored) -> Future[None]:
    """Hashes the files beside the caller's work."""
    pool = ThreadPoolExecutor(1)
    verified = pool.submit(stored.verify)
    pool.shutdown(wait=False)
    return verified


def _prompt(tokenizer: Any, messages: Sequence[dict[str, str]], device: Any) -> dict[str, Any]:
    """What `generate` is given: the tokens of the conversation, and where a base model stops."""
    if tokenizer.chat_template:
        tokens = tokenizer.apply_chat_template(
            list(messages),
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
            enable_thinking=False,
        )
        return dict(tokens.to(device))
    lines = [f"{_ROLES.get(m['role'], m['role'])}: {m['content']}" for m in messages]
    text = "\n".join([*lines, "Assistant:"])
    tokens = tokenizer(text, return_tensors="pt").to(device)
    return dict(tokens) | {"stop_strings": ["\n"], "tokenizer": tokenizer}


def _first_line(pieces: Iterable[str]) -> Iterator[str]:
    """What a base model says before it begins to write the other side of the dialogue."""
    begun = ended = False
    for piece in pieces:
        text = piece if begun else piece.lstrip()
        begun = begun or bool(text)
        if text and not ended:
            line, newline, _ = text.partition("\n")
            ended = bool(newline)
            yield line
