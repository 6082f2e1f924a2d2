"""Laws of the instructions that C code reaches, for corner values and random ones.

Every pair is computed on the network by a thread of its own; the other side is Python's integers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import codegen
import vgpu

WIDTH = 2**32
CORNERS = [0, 1, 2, 3, 7, 31, 32, 255, 256, 65535, 65536, 2**30, 2**31 - 1, 2**31, 2**31 + 1,
           2**32 - 2, 2**32 - 1]  # fmt: skip
THREADS = 128
KERNEL = """
__global__ void law(const unsigned *x, const unsigned *y, unsigned *out) {{
  unsigned a = x[threadIdx.x], b = y[threadIdx.x];
  int s = (int)a, t = (int)b;
  out[threadIdx.x] = (unsigned)({expression});
}}
"""


def signed(n: int) -> int:
    return (n + 2**31) % WIDTH - 2**31


def quotient(a: int, b: int) -> int:
    """C's division: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# expression of a, b (unsigned) and s, t (the same bits, signed) → the exact value
LAWS: dict[str, Callable[[int, int], int]] = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "-a": lambda a, b: -a,
    "a * b": lambda a, b: a * b,
    "a * b + (a ^ b)": lambda a, b: a * b + (a ^ b),
    "__umulhi(a, b)": lambda a, b: a * b >> 32,
    "__mulhi(s, t)": lambda a, b: signed(a) * signed(b) >> 32,
    "a & b": lambda a, b: a & b,
    "a | b": lambda a, b: a | b,
    "a ^ b": lambda a, b: a ^ b,
    "~a": lambda a, b: ~a,
    "a << (b & 31)": lambda a, b: a << (b & 31),
    "a >> (b & 31)": lambda a, b: a >> (b & 31),
    "s >> (b & 31)": lambda a, b: signed(a) >> (b & 31),
    "min(a, b)": min,
    "max(a, b)": max,
    "min(s, t)": lambda a, b: min(signed(a), signed(b)),
    "max(s, t)": lambda a, b: max(signed(a), signed(b)),
    "abs(s)": lambda a, b: abs(signed(a)),
    "a < b ? 7 : 9": lambda a, b: 7 if a < b else 9,
    "a >= b ? a : 9": lambda a, b: a if a >= b else 9,
    "a == b ? 7 : b": lambda a, b: 7 if a == b else b,
    "s < t ? a : b": lambda a, b: a if signed(a) < signed(b) else b,
    "s <= t ? 1 : 0": lambda a, b: int(signed(a) <= signed(b)),
    "s > t && a != 3": lambda a, b: int(signed(a) > signed(b) and a != 3),
    "b ? a / b : 5": lambda a, b: a // b if b else 5,
    "b ? a % b : 5": lambda a, b: a % b if b else 5,
    "(t == 0 || t == -1) ? 5 : s / t": lambda a, b: (
        5 if signed(b) in (0, -1) else quotient(signed(a), signed(b))
    ),
    "(t == 0 || t == -1) ? 5 : s % t": lambda a, b: (
        5 if signed(b) in (0, -1) else signed(a) - signed(b) * quotient(signed(a), signed(b))
    ),
    "(signed char)a + (unsigned char)b": lambda a, b: (a + 128) % 256 - 128 + b % 256,
    "(short)a * (unsigned short)b": lambda a, b: ((a + 2**15) % 2**16 - 2**15) * (b % 2**16),
}


def pairs() -> list[tuple[int, int]]:
    """All pairs of corners, and random ones to fill the last block."""
    draw = random.Random(4)
    both = [(a, b) for a in CORNERS for b in CORNERS]
    while len(both) % THREADS:
        both.append((draw.randrange(WIDTH), draw.randrange(WIDTH) >> draw.randrange(32)))
    return both


@pytest.mark.parametrize("expression", LAWS)
def test_law(expression: str, machines: dict[str, vgpu.Machine]) -> None:
    program = codegen.compile_source(KERNEL.format(expression=expression))
    both = pairs()
    for at in range(0, len(both), THREADS):
        part = both[at : at + THREADS]
        x, y = (vgpu.Array("u32", [pair[i] for pair in part]) for i in (0, 1))
        run = machines["sparse"].run(
            program, {"x": x, "y": y}, {"out": ("u32", len(part))}, block=len(part)
        )
        exact = [LAWS[expression](a, b) % WIDTH for a, b in part]
        wrong = [
            (pair, want, got)
            for pair, want, got in zip(part, exact, run.outputs["out"], strict=True)
            if want != got
        ]
        assert not wrong, f"(a, b), expected, got: {wrong[:3]}"
