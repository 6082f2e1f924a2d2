"""The property that everything rests on: integers after every layer, and text left alone.

These run on the stock layers of the dense engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import codegen
import vgpu
from vgpu.engines import make_engine

CARRIER = 2.0**40
KERNEL = """
__global__ void mix(const int *a, const int *b, int *out, int n) {
  __shared__ int s[4];
  int t = threadIdx.x;
  s[t] = t < n ? a[t] * b[t] : 0;
  __syncthreads();
  if (t < 2) s[t] += s[t + 2];
  __syncthreads();
  if (t == 0) *out = s[0] + s[1];
}
"""
LISTS = {"a": [1, -2, 2**31 - 1], "b": [4, 5, 2**30 + 7], "n": 3}
RESULT = (sum(x * y for x, y in zip(LISTS["a"], LISTS["b"], strict=True)) + 2**31) % 2**32 - 2**31
WIDE = vgpu.Geometry(
    lanes=4, warps=1, registers=16, instructions=64, memory_bytes=1024, hidden=4096
)


@pytest.fixture(scope="module")
def program() -> vgpu.Program:
    return codegen.compile_source(KERNEL)


@pytest.fixture(scope="module")
def wide() -> Any:
    """A machine in a stream wide enough that ordinary tokens have channels of their own."""
    return make_engine("dense", WIDE)


@pytest.fixture
def watched(machines: dict[str, vgpu.Machine]) -> Iterator[tuple[vgpu.Machine, list[int]]]:
    """The dense machine, and a list that gets the number of every layer that was checked."""
    machine, seen = machines["dense"], []

    def watch(index: int, stream: torch.Tensor) -> None:
        assert stream.dtype == torch.float32
        assert torch.equal(stream, stream.round()), f"layer {index} left a fraction"
        assert bool((stream[..., 0] == CARRIER).all()), f"layer {index} changed the carrier"
        assert float(stream[..., 1:].abs().max()) < 2**24, f"layer {index} left the exact range"
        seen.append(index)

    machine.engine.watch = watch
    yield machine, seen
    machine.engine.watch = None


def test_every_channel_is_an_integer_after_every_layer(
    watched: tuple[vgpu.Machine, list[int]], program: vgpu.Program
) -> None:
    """On a run with two barriers: load tokens, every pass, the census, the read tokens."""
    machine, seen = watched
    run = machine.run(program, LISTS, block=4)
    assert run.outputs == {"out": [RESULT]}
    layers = vgpu.machine_summary()["layers"]
    assert set(seen) == set(range(layers))
    assert len(seen) >= layers * run.passes


def bits(stream: torch.Tensor) -> torch.Tensor:
    """The bit patterns of fp32 values, so that 0.0 and -0.0 differ."""
    return stream.contiguous().view(torch.int32)


def text(count: int, hidden: int, channels: int, seed: int) -> torch.Tensor:
    """Ordinary tokens [1, count, hidden]: the machine's channels 0, the others anything."""
    draw = torch.Generator().manual_seed(seed)
    stream = torch.zeros(1, count, hidden)
    free = hidden - channels
    size = 10.0 ** torch.randint(-6, 5, (1, count, free), generator=draw)
    stream[..., channels:] = torch.randn(1, count, free, generator=draw) * size
    return stream


def machine_channels(geometry: vgpu.Geometry) -> int:
    """The carrier and the channels of signals: they come first in the stream."""
    return vgpu.machine_summary(geometry)["channels"] + 1


@pytest.mark.parametrize("chunk", [1, 2, 7, 64])
@torch.no_grad()
def test_text_tokens_leave_every_layer_as_they_came(
    chunk: int, machines: dict[str, vgpu.Machine]
) -> None:
    model = machines["dense"].engine.model
    hidden = vgpu.machine_summary()["hidden"]
    tokens = text(64, hidden, machine_channels(vgpu.Geometry()), chunk)
    cache = model.new_cache()
    before = bits(tokens).clone()
    for at in range(0, 64, chunk):
        part = tokens[:, at : at + chunk]
        seen: list[torch.Tensor] = []
        out = model.stream(part, cache, lambda index, stream, seen=seen: seen.append(stream))
        for stream in (*seen, out):
            assert torch.equal(bits(stream), before[:, at : at + chunk])


class Interrupted:
    """An engine with ordinary tokens before every step and between the words of a step.

    `step` feeds them all in one forward pass and checks that the ordinary ones came out as
    they went in, bit for bit.
    """

    name = "dense among text"

    def __init__(self, engine: Any) -> None:
        self.engine, self.geometry = engine, engine.geometry
        self.channels = machine_channels(engine.geometry)
        self.texts = 0

    def reset(self) -> None:
        self.engine.reset()

    @torch.no_grad()
    def step(self, words: Any) -> Any:
        if len(words) == 0:
            return words
        model = self.engine.model
        machine = model.embed_words(torch.from_numpy(words).to(torch.float32)[None])
        rest = text(len(words) + 3, machine.shape[-1], self.channels, self.texts)
        parts = [rest[:, :3]]
        for i in range(len(words)):
            parts += [machine[:, i : i + 1], rest[:, 3 + i : 4 + i]]
        stream = torch.cat(parts, dim=1)
        out = model.stream(stream, self.engine.cache)
        at = torch.arange(len(words)) * 2 + 3
        ordinary = torch.ones(stream.shape[1], dtype=torch.bool)
        ordinary[at] = False
        assert torch.equal(bits(out[:, ordinary]), bits(stream[:, ordinary]))
        self.texts += int(ordinary.sum())
        logits = (model.norm(out[:, at]) @ model.head.T)[0]
        return (logits > 0).numpy().astype(np.uint8)


def test_text_among_the_words_of_a_run(wide: Any, program: vgpu.Program) -> None:
    """Text and machine tokens in the same sequence do not see each other."""
    assert WIDE.hidden - machine_channels(WIDE) > 1000
    alone = vgpu.Machine(make_engine("interpreter", WIDE)).run(program, LISTS, block=4)
    among = Interrupted(wide)
    run = vgpu.Machine(among).run(program, LISTS, block=4)  # type: ignore[arg-type]
    assert among.texts > run.words
    assert run.outputs == alone.outputs == {"out": [RESULT]}
    assert (run.passes, run.words) == (alone.passes, alone.words)


@torch.no_grad()
def test_text_after_a_run_sees_nothing_of_it(wide: Any, program: vgpu.Program) -> None:
    """The memory that a run leaves in the cache reads as nothing for a text token."""
    vgpu.Machine(wide).run(program, LISTS, block=4)
    tokens = text(9, WIDE.hidden, machine_channels(WIDE), 3)
    before = bits(tokens).clone()
    for part in (tokens[:, :8], tokens[:, 8:]):
        at = 0 if part.shape[1] == 8 else 8
        out = wide.model.stream(part, wide.cache)
        assert torch.equal(bits(out), before[:, at : at + part.shape[1]])


def test_the_machine_keeps_to_its_channels(wide: Any, program: vgpu.Program) -> None:
    """What is not the machine's stays 0 on the machine's own tokens, after every layer."""

    def watch(index: int, stream: torch.Tensor) -> None:
        strange = stream[..., machine_channels(WIDE) :].abs().amax(dim=(0, 1)).nonzero()
        places = [int(c) + machine_channels(WIDE) for c in strange]
        assert not places, f"layer {index} wrote the channels {places}"

    wide.watch = watch
    try:
        vgpu.Machine(wide).run(program, LISTS, block=4)
    finally:
        wide.watch = None
