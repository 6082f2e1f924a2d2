"""Text through the composite: the host's logits, bit for bit, however they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    Gemma3nTextConfig,
    T5Config,
    TextStreamer,
)

from tests.vgpu.composite import (
    DTYPES,
    HOSTS,
    OTHERS,
    SIZES,
    TINY,
    composite,
    make_host,
    run_squares,
    tokens,
)
from vgpu.errors import InputError
from vgpu.model import compose
from vgpu.model.compare import compare_texts

TEXTS = [
    "a", "What is 12 times 34?", "Сколько будет двенадцать на тридцать четыре?",
    "for (int i = 0; i < n; ++i) sum += a[i] * b[i];", "🙂🙃 ok 👍🏽", "",
    " \n\t ", "The quick brown fox jumps over the lazy dog. " * 6,
]  # fmt: skip
CASES = [(name, dtype) for name in HOSTS for dtype in DTYPES if (name, dtype) != ("gpt2", "bf16")]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_logits_are_the_hosts(name: str, dtype: str, tmp_path: Path) -> None:
    """Prefill, cached decoding and padded batches, of the host and of a composite that was saved
    and loaded: two models, not one wrapped."""
    host = make_host(name, DTYPES[dtype])
    compose(make_host(name, DTYPES[dtype]), TINY).save_pretrained(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert model.dtype == DTYPES[dtype]
    model.config.check_exact = True
    report = compare_texts(host, model, [tokens(text)[0].tolist() for text in TEXTS], pad=0)
    assert report.equal == report.texts == len(TEXTS)


@pytest.mark.parametrize("name", HOSTS)
def test_generation_is_the_hosts(name: str) -> None:
    host, model = make_host(name), composite(name, TINY)
    ids = torch.cat([tokens("four lanes and one warp"), tokens("padded text".rjust(23, "\0"))])
    mask = (ids != 0).long()
    ways: list[dict[str, Any]] = [
        {"do_sample": False},
        {"do_sample": True, "temperature": 0.9, "top_k": 20},
        {"num_beams": 3, "do_sample": False},
    ]
    for way in ways:
        options = {"attention_mask": mask, "max_new_tokens": 8, "output_logits": True,
                   "return_dict_in_generate": True, **way}  # fmt: skip
        torch.manual_seed(4)
        ours = model.generate(ids, **options)
        torch.manual_seed(4)
        theirs = host.generate(ids, **options)
        assert torch.equal(ours.sequences, theirs.sequences), way
        for a, b in zip(ours.logits, theirs.logits, strict=True):
            assert torch.equal(a, b), way


@pytest.mark.parametrize("name", OTHERS)
def test_decoders_of_other_families(name: str) -> None:
    host, model = make_host(name, torch.bfloat16), compose(make_host(name, torch.bfloat16), TINY)
    ids = torch.cat([tokens("any decoder"), tokens("padded".rjust(11, "\0"))])
    mask = (ids != 0).long()
    want = host(input_ids=ids, attention_mask=mask).logits
    assert torch.equal(model(input_ids=ids, attention_mask=mask).logits, want)
    ours, theirs = (m.generate(ids, attention_mask=mask, max_new_tokens=5, do_sample=False)
                    for m in (model, host))  # fmt: skip
    assert torch.equal(ours, theirs)


class _Pieces(TextStreamer):
    """Collects the tokens that a stream brings."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def put(self, value: torch.Tensor) -> None:
        self.seen += value.flatten().tolist()

    def end(self) -> None:
        pass


def test_other_ways_to_generate() -> None:
    host, model = make_host("llama"), composite("llama", TINY)
    ids = tokens("stream this")
    want = host.generate(ids, max_new_tokens=6, do_sample=False)
    pieces = _Pieces()
    model.generate(ids, max_new_tokens=6, do_sample=False, streamer=pieces)
    assert pieces.seen == want[0].tolist()
    embeds = model.get_input_embeddings()(ids)
    began = model.generate(inputs_embeds=embeds, max_new_tokens=6, do_sample=False)
    assert torch.equal(began, want[:, ids.shape[1] :])
    looked_up = model.generate(ids, max_new_tokens=6, do_sample=False, prompt_lookup_num_tokens=2)
    assert torch.equal(looked_up, want)
    fixed = model.generate(
        ids, max_new_tokens=6, do_sample=False, cache_implementation="static", disable_compile=True
    )
    assert torch.equal(fixed, want)


def test_text_may_skip_the_compiled_layers() -> None:
    model = composite("llama", TINY)
    ids = tokens("the same either way")
    through = model(input_ids=ids).logits
    watched = []
    handle = model.machine.layers[0].register_forward_hook(lambda *_: watched.append(1))
    try:
        assert torch.equal(model(input_ids=ids, machine_on_text=False).logits, through)
        assert not watched
        assert torch.equal(model(input_ids=ids).logits, through)
        assert watched
        a = model.generate(ids, max_new_tokens=4, do_sample=False, machine_on_text=False)
        b = model.generate(ids, max_new_tokens=4, do_sample=False)
        assert torch.equal(a, b)
    finally:
        handle.remove()


def test_padding_never_reaches_the_machine() -> None:
    """Rows of a batch and their padding are so many more tokens that carry zeros."""
    model = composite()
    cache = model.new_cache()
    run_squares(model, cache)
    before = [layer.recurrent_states[0].clone() for layer in cache.machine.layers]
    ids = torch.cat([tokens("one row"), tokens("padded!"), tokens("\0\0\0abcd")])
    model(input_ids=ids, attention_mask=(ids != 0).long(), cache=cache)
    for layer, state in zip(cache.machine.layers, before, strict=True):
        assert torch.equal(layer.recurrent_states[0], state)


def test_labels_and_the_hosts_own_options_go_to_the_host() -> None:
    host, model = make_host("llama"), composite("llama", TINY)
    ids = tokens("a loss")
    ours, theirs = (m(input_ids=ids, logits_to_keep=2, output_hidden_states=True)
                    for m in (model, host))  # fmt: skip
    assert torch.equal(ours.logits, theirs.logits) and ours.logits.shape[1] == 2
    assert len(ours.hidden_states) == len(theirs.hidden_states)
    assert torch.equal(model(input_ids=ids, labels=ids).loss, host(input_ids=ids, labels=ids).loss)


def test_an_eager_host_stays_eager() -> None:
    host = make_host("llama")
    host.set_attn_implementation("eager")
    model = compose(host, TINY)
    assert model.host.config._attn_implementation == "eager"
    assert model(input_ids=tokens("look"), output_attentions=True).attentions is not None


def test_what_cannot_be_a_host_is_one_line() -> None:
    """A decoder that reads its tokens again behind their embedding, and an encoder."""
    config = Gemma3nTextConfig(
        **SIZES, num_hidden_layers=2, head_dim=16, hidden_size_per_layer_input=8, laurel_rank=4,
        vocab_size_per_layer_input=300, num_kv_shared_layers=0,
        activation_sparsity_pattern=[0.0, 0.0],
        layer_types=["sliding_attention", "full_attention"],
    )  # fmt: skip
    torch.manual_seed(0)
    host = AutoModelForCausalLM.from_config(config).eval()
    for parameter in host.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    with pytest.raises(InputError, match="per-layer embeddings.*cannot be a host"):
        compose(host, TINY)
    t5 = T5Config(vocab_size=300, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
    with pytest.raises(InputError, match="encoder"):
        compose(AutoModelForSeq2SeqLM.from_config(t5), TINY)
    with pytest.raises(InputError, match="not a causal language model"):
        compose(torch.nn.Linear(2, 2), TINY)
