"""Running PTX on 64-bit numbers, a thread for each triple, on the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from hypothesis import strategies as st

import codegen
import vgpu

Law = tuple[str, Callable[[int, int, int], int]]
THREADS = 128
M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
_FRAME = """
.version 6.3
.target sm_75
.address_size 64
.visible .entry law(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 out)
{{
    .reg .pred %p<8>;
    .reg .b16 %rs<8>;
    .reg .b32 %r<24>;
    .reg .b64 %rd<24>;
    ld.param.u64 %rd10, [x];
    ld.param.u64 %rd11, [y];
    ld.param.u64 %rd12, [z];
    ld.param.u64 %rd13, [out];
    cvta.to.global.u64 %rd10, %rd10;
    cvta.to.global.u64 %rd11, %rd11;
    cvta.to.global.u64 %rd12, %rd12;
    cvta.to.global.u64 %rd13, %rd13;
    mov.u32 %r14, %tid.x;
    mul.wide.u32 %rd14, %r14, 8;
    add.s64 %rd15, %rd10, %rd14;
    ld.global.u64 %rd1, [%rd15];
    add.s64 %rd15, %rd11, %rd14;
    ld.global.u64 %rd2, [%rd15];
    add.s64 %rd15, %rd12, %rd14;
    ld.global.u64 %rd3, [%rd15];
    cvt.u32.u64 %r1, %rd1;
    cvt.u32.u64 %r2, %rd2;
    cvt.u32.u64 %r3, %rd3;
    add.s64 %rd15, %rd13, %rd14;
    mov.u64 %rd0, 0;
    {body}
    st.global.u64 [%rd15], %rd0;
    ret;
}}
"""
SIGN = 1 << 63
CORNERS = [
    0, 1, 2, 3, 7, 10, 31, 33, 63, 64, 255, 32768, M32 >> 1, 1 << 31, M32 - 1, M32, 1 << 32,
    (1 << 32) + 1, 0x123456789ABCDEF0, (1 << 63) - (1 << 32), SIGN - 1, SIGN, SIGN + 1,
    M64 - M32, M64 - (1 << 31), M64 - 9, M64 - 1, M64,
]  # fmt: skip
WORDS = (
    st.integers(0, M64)
    | st.integers(0, 100)
    | st.sampled_from(CORNERS)
    | st.builds(lambda n, e: ((1 << n) + e) & M64, st.integers(0, 63), st.integers(-2, 2))
    | st.integers(0, M32)
)


def s(value: int, width: int = 64) -> int:
    """The low `width` bits as a signed number."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


@cache
def program(body: str, prelude: str) -> vgpu.Program:
    text = _FRAME.format(body=body).replace(".visible", f"{prelude}\n.visible")
    return codegen.ptx_to_program(text, name="law.ptx")


@cache
def machine() -> vgpu.Machine:
    return vgpu.Machine(engine="interpreter")


def evaluate(
    body: str, x: Sequence[int], y: Sequence[int], z: Sequence[int], prelude: str = ""
) -> list[int]:
    """%rd0 after `body`, for each triple in %rd1, %rd2, %rd3 (low words in %r1, %r2, %r3).

    `prelude` holds functions and variables of the module.
    """
    code = program(body, prelude)
    results: list[int] = []
    for at in range(0, len(x), THREADS):
        parts = [vgpu.Array("u64", list(v[at : at + THREADS])) for v in (x, y, z)]
        count = len(parts[0].values)
        run = machine().run(
            code, dict(zip("xyz", parts, strict=True)), {"out": ("u64", count)}, block=count
        )
        results += run.outputs["out"]
    return results


def wrong(
    law: Law, x: Sequence[int], y: Sequence[int], z: Sequence[int]
) -> list[tuple[int, int, int, int, int]]:
    """(a, b, c, got, wanted) wherever the machine and the law differ."""
    body, meaning = law
    got = evaluate(body, x, y, z)
    wanted = [int(meaning(a, b, c)) & M64 for a, b, c in zip(x, y, z, strict=True)]
    rows = zip(x, y, z, got, wanted, strict=True)
    return [row for row in rows if row[3] != row[4]]
