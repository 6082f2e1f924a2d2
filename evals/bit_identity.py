"""`assistant verify --text`: is the composite's text, bit for bit, the host's own?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assistant.config import Config
from evals.texts import LONG_TOKENS, texts
from vgpu.model.compare import TextReport, compare_texts


def run(settings: Config, progress: Callable[[int, int], None] | None = None) -> TextReport:
    """Compares the configured host with the model of host and machine, on every text."""
    from assistant.hosts import open_host

    model, tokenizer = open_host(settings).load()
    model.config.check_exact = True
    return compare_texts(
        model.host, model, encoded(model, tokenizer), pad=_pad(tokenizer), progress=progress
    )


def encoded(model: Any, tokenizer: Any) -> list[list[int]]:
    """The texts as tokens, none longer than the host can read."""
    most = getattr(model.config.get_text_config(), "max_position_embeddings", LONG_TOKENS)
    return [tokenizer(text)["input_ids"][: min(most, LONG_TOKENS)] for text in texts()]


def _pad(tokenizer: Any) -> int:
    for token in (tokenizer.pad_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    return 0
