"""Arithmetic laws of the network: exhaustive on a 4-bit machine, corners and random on 32 bits."""

from __future__ import annotations

import random
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vgpu.alu import OPS, oracle, run_op
from vgpu import Machine, Program, asm, isa
from vgpu.engines import Engine, make_engine
from vgpu.geometry import DEFAULT, Geometry
from vgpu.word import layout

SMALL = Geometry(width=4, lanes=4, warps=16, registers=4, instructions=16, memory_bytes=16)
CORNERS = [0, 1, 2, 3, 31, 32, 33, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x55555555, 0xAAAAAAAA,
           0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF]  # fmt: skip


@lru_cache
def engine(name: str, geometry: Geometry) -> Engine:
    return make_engine(name, geometry)


def every_pair(name: str, op: str, c: int) -> None:
    pairs = [(x, y) for x in range(16) for y in range(16)]
    for at in range(0, 256, SMALL.threads):
        a, b = (list(part) for part in zip(*pairs[at : at + SMALL.threads], strict=True))
        want = [oracle(op, 4, x, y, c) for x, y in zip(a, b, strict=True)]
        assert run_op(engine(name, SMALL), op, a, b, [c] * len(a)) == want


@pytest.mark.parametrize("op", OPS)
def test_every_pair_on_the_4_bit_machine(op: str) -> None:
    for c in range(16) if "c" in isa.OPS[op].operands else (5,):
        every_pair("sparse", op, c)


@pytest.mark.parametrize("op", ["mad", "mulhi.s", "sub", "shf.l.clamp", "setp.le.s"])
def test_the_4_bit_machine_on_stock_layers(op: str) -> None:
    every_pair("dense", op, 9)


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


LONG = """
        s2r r0, %tid.x
        mul r0, r0, 8
        ld.b32 r1, [r0+1024]
        ld.b32 r2, [r0+1028]
        ld.b32 r3, [r0+2048]
        ld.b32 r4, [r0+2052]
        add.co r5, p1, r1, r3
        addc r6, p2, r2, r4, p1
        sub.co r7, p3, r1, r3
        subc r8, p4, r2, r4, p3
        selp r9, r5, 1, p2
        st.b32 [r0+1024], r5
        st.b32 [r0+1028], r6
        st.b32 [r0+2048], r7
        st.b32 [r0+2052], r8
        mov r1, 0
        mov r2, 1
        selp r9, r2, r1, p2
        selp r10, r2, r1, p4
        mad r9, r9, 2, r10
        st.b32 [r0+3072], r9
        exit
"""


@pytest.mark.parametrize("name", ["interpreter", "sparse"])
@settings(max_examples=5, deadline=None)
@given(pairs=st.lists(st.tuples(*[st.one_of(
    st.sampled_from([0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1]), st.integers(0, 2**64 - 1)
)] * 2), min_size=32, max_size=32))  # fmt: skip
def test_carries_make_64_bit_sums_and_differences(name: str, pairs: list[tuple[int, int]]) -> None:
    data = b"".join(x.to_bytes(8, "little") for x, _ in pairs).ljust(1024, b"\0")
    data += b"".join(y.to_bytes(8, "little") for _, y in pairs)
    program = Program(
        "long", tuple(asm.assemble(LONG)), data_base=1024, data=data, shared_base=4096
    )
    machine = Machine(engine(name, DEFAULT))
    machine.run(program, {}, block=32)
    words = layout(DEFAULT)

    def read(at: int) -> int:
        return int(words.field(machine.engine.step(words.pack(1, read=1, addr=at)), "value")[0])

    for lane, (x, y) in enumerate(pairs):
        total = read(1024 + 8 * lane) + (read(1028 + 8 * lane) << 32)
        difference = read(2048 + 8 * lane) + (read(2052 + 8 * lane) << 32)
        assert (total, difference) == ((x + y) % 2**64, (x - y) % 2**64)
        assert read(3072 + 8 * lane) == 2 * (x + y >= 2**64) + (x < y)
