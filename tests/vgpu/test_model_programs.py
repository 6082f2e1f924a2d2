"""Programs through the composite: the engines' words, whatever text or casts are around them."""

from __future__ import annotations

import copy
import json
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from transformers import DynamicCache
from transformers.models.qwen3_5 import modeling_qwen3_5 as qwen

from tests.vgpu.composite import SMALL, TINY, composite, make_host, run_squares, squares, tokens
from vgpu import Machine
from vgpu.circuit import allocate, emit
from vgpu.engines import make_engine
from vgpu.errors import InputError
from vgpu.model import CompositeEngine, compose, machine_vgpu
from vgpu.word import layout

CHAT = tokens("user: what is 0 + 1 + 4 + 9?\nassistant:")
MORE = tokens("\nuser: and in words?\nassistant:")


def words_of(engine: Any, path: Path) -> list[Any]:
    """Every word of a run, as its trace has them."""
    Machine(engine).run(squares(), {}, block=4, trace=path)
    return [json.loads(line) for line in path.read_text().splitlines()[1:]]


def test_every_word_is_that_of_the_engines(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    ours = words_of(CompositeEngine(composite()), path)
    assert len(ours) > 20
    for name in ("sparse", "dense", "interpreter"):
        assert words_of(make_engine(name, SMALL), path) == ours, name


def answer(model: Any, cache: Any, history: torch.Tensor) -> torch.Tensor:
    out = model.generate(history, cache=cache, max_new_tokens=3, do_sample=False)
    assert isinstance(out, torch.Tensor)
    return out


@pytest.mark.parametrize("name", ["llama", "qwen3_5"])
def test_a_program_in_the_middle_of_a_chat(name: str) -> None:
    """The chat's next answer is the same whether or not a program ran in its session, and the
    program's words are the same whether or not there is a chat."""
    model = composite(name)
    alone = run_squares(model)
    undisturbed = model.new_cache()
    first = answer(model, undisturbed, CHAT)
    second = answer(model, undisturbed, torch.cat([first, MORE], dim=1))

    cache = model.new_cache()
    runs = [run_squares(model, cache)]
    assert torch.equal(answer(model, cache, CHAT), first)
    runs.append(run_squares(model, cache))
    assert torch.equal(answer(model, cache, torch.cat([first, MORE], dim=1)), second)
    runs.append(run_squares(model, cache))
    for run in runs:
        assert (run.outputs, run.passes) == ({"out": [14]}, alone.passes)


@pytest.mark.parametrize("through", [True, False])
def test_text_between_two_passes_of_a_program(through: bool) -> None:
    """Text in the middle of a step loop changes no word of it."""

    class Interrupted(CompositeEngine):
        def step(self, words: Any) -> Any:
            ids = torch.cat([tokens("some text"), tokens("another row"[:9])])
            self.model(input_ids=ids, cache=self.cache, use_cache=True, machine_on_text=through)
            return super().step(words)

    model = composite()
    run = Machine(Interrupted(model)).run(squares(), {}, block=4)
    assert (run.outputs, run.passes) == ({"out": [14]}, run_squares(model).passes)


def test_a_half_finished_program_survives_a_reset_of_nothing_but_text() -> None:
    """A memory word written before a chat is read after it, by any cache of transformers."""
    model, words = composite(), layout(SMALL)
    write = torch.from_numpy(words.pack(1, mem=1, addr=64, value=12345))[None]
    read = torch.from_numpy(words.pack(1, read=1, addr=64))[None]
    cache = DynamicCache(config=model.config.get_text_config())
    model(words=write, cache=cache)
    copied = copy.deepcopy(cache)
    model.generate(CHAT, cache=cache, max_new_tokens=3, do_sample=False, num_beams=1)
    for session, held in ((cache, CHAT.shape[1] + 2), (copied, 0)):
        came = model(words=read, cache=session).words[0].to(torch.uint8).numpy()
        assert words.field(came, "value").tolist() == [12345]
        assert session.get_seq_length() == held
    fresh = model.new_cache()
    model(words=write, cache=fresh)
    fresh.reset()
    came = model(words=read, cache=fresh).words[0].to(torch.uint8).numpy()
    assert words.field(came, "value").tolist() == [0]


def test_what_is_not_a_word_is_refused() -> None:
    model = composite("llama", TINY)
    bits = model.config.word_bits
    for bad in (torch.zeros(2, 1, bits), torch.zeros(1, 1, bits + 1), torch.zeros(1, bits)):
        with pytest.raises(ValueError, match="words must be"):
            model(words=bad)
    with pytest.raises(ValueError, match="0 and 1"):
        model(words=torch.full((1, 1, bits), 0.5))
    for both in ({}, {"words": torch.zeros(1, 1, bits), "input_ids": CHAT}):
        with pytest.raises(ValueError, match="one of"):
            model(**both)
    assert model(words=torch.zeros(1, 0, bits)).words.shape == (1, 0, bits)


CASTS: dict[str, Callable[[nn.Module], nn.Module]] = {
    "half": lambda m: m.half(),
    "bfloat16": lambda m: m.to(torch.bfloat16),
    "double": lambda m: m.double(),
    "device and dtype": lambda m: m.to("cpu", torch.float16),
    "train": lambda m: m.train(),
}


@pytest.mark.parametrize("cast", CASTS)
def test_the_machine_stays_fp32_whatever_the_host_is_cast_to(cast: str) -> None:
    model = compose(make_host("llama"), SMALL)
    CASTS[cast](model)
    if cast == "train":
        model.gradient_checkpointing_enable()
        assert model.host.is_gradient_checkpointing
    else:
        assert model.dtype == next(model.host.parameters()).dtype != torch.float32
    assert {p.dtype for p in model.machine.parameters()} == {torch.float32}
    assert run_squares(model).outputs == {"out": [14]}
    assert model(input_ids=CHAT).logits.isfinite().all()


def test_a_cast_behind_the_guard_is_refused() -> None:
    model = compose(make_host("llama"), TINY)
    model.machine.layers[0].mlp.half()
    with pytest.raises(RuntimeError, match=r"machine\.layers\.0\.mlp.*float16.*float32 only"):
        model.probe()
    model.machine.to("meta")
    with pytest.raises(RuntimeError, match="no weights"):
        model(input_ids=CHAT)


def test_reduced_precision_does_not_reach_the_machine() -> None:
    """Autocast and bf16 products (which CPUs with AMX really use) are off inside, and as they
    were outside."""
    model = composite()
    matmul = torch.backends.mkldnn.matmul  # type: ignore[attr-defined]
    try:
        torch.set_float32_matmul_precision("medium")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert run_squares(model).outputs == {"out": [14]}
        assert matmul.fp32_precision == "bf16"
        torch.backends.fp32_precision = "tf32"  # type: ignore[attr-defined]
        assert run_squares(model).outputs == {"out": [14]}
        assert matmul.fp32_precision == "bf16"
    finally:
        torch.backends.fp32_precision = "none"  # type: ignore[attr-defined]
        torch.set_float32_matmul_precision("highest")


def test_installed_kernels_do_not_reach_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine calls the reference rules even where transformers has replaced them."""

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a replaced rule was called")

    rules = ("torch_chunk_gated_delta_rule", "torch_recurrent_gated_delta_rule",
             "causal_conv1d_fn", "causal_conv1d_update")  # fmt: skip
    for rule in rules:
        monkeypatch.setattr(qwen, rule, broken)
    with pytest.raises(AssertionError, match="replaced rule"):
        composite("qwen3_5")(input_ids=CHAT, machine_on_text=False)
    assert run_squares(composite("qwen3_5")).outputs == {"out": [14]}
    called = []
    model = compose(make_host("llama"), TINY)
    monkeypatch.setattr(model.host, "set_use_kernels", lambda *a, **k: called.append(a))
    model.use_kernels = True
    assert called == [(True,)]


def test_the_layers_are_stock() -> None:
    """Their class, their code, and constants that agree with the circuit compiler's."""
    for layer in composite().machine.layers:
        assert type(layer) is qwen.Qwen3_5DecoderLayer
        stock, ours = qwen.Qwen3_5GatedDeltaNet.forward, type(layer.linear_attn).forward
        while hasattr(stock, "__wrapped__"):
            stock = stock.__wrapped__
        assert isinstance(ours, types.FunctionType) and ours.__code__ is stock.__code__
    assert machine_vgpu.CARRIER == allocate.CARRIER
    assert machine_vgpu.CARRIER_VALUE == emit.CARRIER_VALUE
    assert machine_vgpu.EPSILON == emit.EPSILON


def test_a_lost_state_is_noticed_at_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transformers that restarts the state of a cached forward fails the probe."""
    model = compose(make_host("llama"), TINY)
    model.probe()
    forget = lambda self, states, index, **_: states  # noqa: E731
    monkeypatch.setattr(DynamicCache, "update_recurrent_state", forget)
    with pytest.raises(RuntimeError, match="does not remember"):
        model.probe()


def test_another_instruction_set_is_refused() -> None:
    model = compose(make_host("llama"), TINY)
    model.config.isa = "0" * 12
    with pytest.raises(InputError, match="another version of the instruction set"):
        CompositeEngine(model)


def test_words_may_come_as_any_dtype() -> None:
    model, words = composite(), layout(SMALL)
    given = words.pack(2, mem=1, addr=[64, 68], value=[1, 2])
    results = [
        model(words=torch.from_numpy(given)[None].to(dtype)).words
        for dtype in (torch.bool, torch.uint8, torch.int64, torch.float32, torch.bfloat16)
    ]
    assert all(torch.equal(results[0], other) for other in results)
    assert np.array_equal(results[0].shape, (1, *given.shape))
