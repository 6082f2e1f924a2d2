"""Running one PTX instruction over many operands, a thread each, on the reference interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

import codegen
import vgpu

Evaluate = Callable[..., list[int]]
THREADS = 128
_FRAME = """
.version 6.3
.target sm_75
.address_size 32
.visible .entry law(.param .u32 x, .param .u32 y, .param .u32 z, .param .u32 out)
{{
    .reg .pred %p<8>;
    .reg .b16 %rs<8>;
    .reg .b32 %r<24>;
    ld.param.u32 %r10, [x];
    ld.param.u32 %r11, [y];
    ld.param.u32 %r12, [z];
    ld.param.u32 %r13, [out];
    cvta.to.global.u32 %r10, %r10;
    cvta.to.global.u32 %r11, %r11;
    cvta.to.global.u32 %r12, %r12;
    cvta.to.global.u32 %r13, %r13;
    mov.u32 %r14, %tid.x;
    shl.b32 %r14, %r14, 2;
    add.s32 %r15, %r10, %r14;
    ld.global.u32 %r1, [%r15];
    add.s32 %r15, %r11, %r14;
    ld.global.u32 %r2, [%r15];
    add.s32 %r15, %r12, %r14;
    ld.global.u32 %r3, [%r15];
    mov.u32 %r0, 0;
    {body}
    add.s32 %r15, %r13, %r14;
    st.global.u32 [%r15], %r0;
    ret;
}}
"""


@pytest.fixture(scope="session")
def evaluate() -> Evaluate:
    """evaluate(body, x, y, z) → %r0 after the PTX `body`, for each triple in %r1, %r2, %r3."""
    return _evaluate


def _evaluate(
    body: str, x: Sequence[int], y: Sequence[int], z: Sequence[int] | None = None
) -> list[int]:
    program = codegen.ptx_to_program(_FRAME.format(body=body), name="law.ptx")
    machine = vgpu.Machine(engine="interpreter")
    results: list[int] = []
    z = z if z is not None else [0] * len(x)
    for at in range(0, len(x), THREADS):
        parts = [vgpu.Array("u32", list(v[at : at + THREADS])) for v in (x, y, z)]
        count = len(parts[0].values)
        run = machine.run(
            program, dict(zip("xyz", parts, strict=True)), {"out": ("u32", count)}, block=count
        )
        results += run.outputs["out"]
    return results
