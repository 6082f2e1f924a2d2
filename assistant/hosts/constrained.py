"""What a host writes when a grammar says what may come next. [llguidance]"""

from __future__ import annotations

import functools
import threading
from typing import Any

from vgpu.errors import Cancelled, RunError


def write(
    host: Any,
    prompt: str,
    grammar: str,
    most: int,
    *,
    temperature: float = 0.0,
    seed: int = 0,
    cancelled: threading.Event | None = None,
) -> tuple[str, float]:
    """The likeliest allowed continuation, token by token, and its probability.

    With a temperature above 0 the tokens are drawn; the same `seed` draws the same ones.

    `grammar` is Lark as llguidance takes it. The probability is what the host gives the chosen
    tokens with nothing forbidden; tokens that the grammar leaves no choice about do not count.
    Ends where the grammar does, or after `most` tokens. Raises Cancelled soon after `cancelled`
    is set.
    """
    import llguidance.torch
    import torch
    from llguidance import LLMatcher

    model, tokenizer = host.load()
    matcher = LLMatcher(_vocabulary(tokenizer, model.config.get_text_config().vocab_size),
                        LLMatcher.grammar_from_lark(grammar))  # fmt: skip
    if matcher.is_error():
        raise RunError(f"host {host.name}: its tokenizer cannot follow a grammar")
    ids = tokenizer(prompt, return_tensors="pt")["input_ids"].to(model.device)
    mask = llguidance.torch.allocate_token_bitmask(1, model.config.get_text_config().vocab_size)
    written: list[int] = []
    confidence, cache = 1.0, None
    drawn = torch.Generator().manual_seed(seed)
    with torch.inference_mode():
        while len(written) < most and not matcher.is_stopped():
            if cancelled is not None and cancelled.is_set():
                raise Cancelled("stopped")
            out = model(
                input_ids=ids, cache=cache, use_cache=True, logits_to_keep=1,
                machine_on_text=False,  # the same logits, and quicker past the compiled layers
            )  # fmt: skip
            cache, scores = out.cache, out.logits[0, -1:].float().cpu()
            free = scores.softmax(-1)
            llguidance.torch.fill_next_token_bitmask(matcher, mask)
            llguidance.torch.apply_token_bitmask_inplace(scores, mask)
            if temperature:
                weights = (scores[0] / temperature).softmax(-1)
                token = int(torch.multinomial(weights, 1, generator=drawn))
            else:
                token = int(scores.argmax())
            confidence *= float(free[0, token])
            forced = [token]
            matcher.consume_token(token)
            if not matcher.is_stopped() and (more := matcher.compute_ff_tokens()):
                matcher.consume_tokens(more)
                forced += more
            written += forced
            ids = torch.tensor([forced], device=model.device)
    return tokenizer.decode(written, skip_special_tokens=True), confidence


@functools.lru_cache(maxsize=2)
def _vocabulary(tokenizer: Any, size: int) -> Any:
    from llguidance.hf import from_tokenizer

    return from_tokenizer(tokenizer, n_vocab=size)
