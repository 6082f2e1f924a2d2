"""Barriers by number: one for all threads of the block does for sixteen, and where threads wait at
different ones, which on a GPU is for ever, there is a fault and no number."""

from __future__ import annotations

from typing import Final

import pytest

import codegen
import vgpu
from vgpu import isa
from vgpu.errors import FaultError

THREADS: Final = 64
_FRAME: Final = """.version 7.0
.target sm_75
.address_size 32
.visible .entry k(.param .u32 out, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .shared .b32 s[64];
    ld.param.u32 %r0, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, s;
    xor.b32 %r5, %r3, 128;
    add.u32 %r5, %r5, %r4;
    add.u32 %r4, %r4, %r3;
    setp.lt.u32 %p0, %r2, %r1;
    mov.u32 %r7, 3;
    st.shared.u32 [%r4], %r2;
    BODY
    ld.shared.u32 %r6, [%r5];
    add.u32 %r0, %r0, %r3;
    st.global.u32 [%r0], %r6;
    ret;
}
"""
OTHERS: Final = [t ^ 32 for t in range(THREADS)]
APART: Final = "@%p0 bra A; bar.sync {0}; bra B; A: bar.sync {1}; B:"


def run(body: str, n: int, engine: str = "interpreter") -> list[int]:
    """What each thread reads of the thread 32 further, after the barriers of `body`."""
    program = codegen.ptx_to_program(_FRAME.replace("BODY", body), name="k.ptx")
    done = vgpu.Machine(engine).run(program, {"n": n}, {"out": ("u32", THREADS)}, block=THREADS)
    return list(done.outputs["out"])


@pytest.mark.parametrize("engine", ["interpreter", "sparse"])
def test_numbers_that_all_threads_come_to_in_order(engine: str) -> None:
    turn = "ld.shared.u32 %r6, [%r5]; bar.sync 2; st.shared.u32 [%r4], %r6; barrier.sync 15;"
    assert run(f"bar.sync 1; {turn} {turn}", 0, engine) == OTHERS
    assert run(f"bar.sync 1; {turn}", 0, engine) == list(range(THREADS))


@pytest.mark.parametrize(
    "body",
    [
        APART.format(1, 1),
        APART.format(1, 1) + "bar.sync 2;",
        "@%p0 bar.sync 3; @!%p0 bar.sync %r7; bar.sync 0;",
        "bar.red.popc.u32 %r6, 7, %p0; bar.sync 0;",
    ],
)
def test_one_number_at_several_places(body: str) -> None:
    for n in (0, 32, THREADS):
        assert run(body, n) == OTHERS


@pytest.mark.parametrize(
    "body",
    [
        APART.format(1, 2),
        APART.format(0, 15),
        APART.format("%r7", 2),
        "selp.u32 %r7, 1, 2, %p0; bar.sync %r7;",
        APART.format(1, 2).replace("bar.sync 2", "bar.red.or.pred %p1, 2, %p0"),
    ],
)
def test_threads_at_different_barriers_are_a_fault(body: str) -> None:
    with pytest.raises(FaultError) as caught:
        run(body, 32)
    told = str(caught.value)
    assert told.startswith("threads of the block wait at different barriers: ")
    assert "k.ptx:20" in told and "\n" not in told
    for n in (0, THREADS):
        assert run(body, n) == OTHERS


def test_one_number_needs_no_check() -> None:
    program = codegen.ptx_to_program(_FRAME.replace("BODY", "bar.sync 1;"), name="k.ptx")
    ops = [decoded.op for word in program.code if (decoded := isa.decode(word))]
    assert ops.count("bar") == 1 and "trap" not in ops
