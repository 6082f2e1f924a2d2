"""Arithmetic laws of the network: exhaustive on a 4-bit machine, corners and random on 32 bits."""

from __future__ import annotations

import random
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vgpu.alu import OPS, oracle, run_op
from vgpu.engines import Engine, make_engine
from vgpu.geometry import DEFAULT, Geometry

SMALL = Geometry(
    width=4, lanes=32, warps=8, registers=4, instructions=16, memory_bytes=16, hidden=1024
)
CORNERS = [0, 1, 2, 3, 31, 32, 33, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x55555555, 0xAAAAAAAA,
           0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF]  # fmt: skip


@lru_cache
def engine(name: str, geometry: Geometry) -> Engine:
    return make_engine(name, geometry)


@pytest.mark.parametrize("op", OPS)
def test_every_pair_on_the_4_bit_machine(op: str) -> None:
    a = [i % 16 for i in range(256)]
    b = [i // 16 for i in range(256)]
    for c in range(16) if op == "mad" else (5,):
        want = [oracle(op, 4, x, y, c) for x, y in zip(a, b, strict=True)]
        assert run_op(engine("sparse", SMALL), op, a, b, [c] * 256) == want


@pytest.mark.parametrize("op", ["mad", "mulhi.s", "sub", "sar", "setp.le.s"])
def test_the_4_bit_machine_on_stock_layers(op: str) -> None:
    a = [i % 16 for i in range(256)]
    b = [i // 16 for i in range(256)]
    want = [oracle(op, 4, x, y, 9) for x, y in zip(a, b, strict=True)]
    assert run_op(engine("dense", SMALL), op, a, b, [9] * 256) == want


@pytest.mark.parametrize("op", OPS)
def test_corner_values_on_32_bits(op: str) -> None:
    pairs = [(x, y) for x in CORNERS for y in CORNERS]
    rng = random.Random(op)
    for at in range(0, len(pairs), DEFAULT.threads):
        a, b = (list(part) for part in zip(*pairs[at : at + DEFAULT.threads], strict=True))
        c = [rng.choice(CORNERS) for _ in a]
        want = [oracle(op, 32, *abc) for abc in zip(a, b, c, strict=True)]
        assert run_op(engine("sparse", DEFAULT), op, a, b, c) == want


words = st.one_of(st.sampled_from(CORNERS), st.integers(0, 2**32 - 1))
samples = st.lists(st.tuples(words, words, words), min_size=64, max_size=128)


@pytest.mark.parametrize("op", OPS)
@settings(max_examples=5, deadline=None)
@given(samples=samples)
def test_random_values_on_32_bits(op: str, samples: list[tuple[int, int, int]]) -> None:
    a, b, c = (list(part) for part in zip(*samples, strict=True))
    want = [oracle(op, 32, *abc) for abc in samples]
    for name in ("interpreter", "sparse"):
        assert run_op(engine(name, DEFAULT), op, a, b, c) == want, name
