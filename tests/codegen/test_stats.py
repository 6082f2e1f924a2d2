"""Counts of executed PTX instructions, and of machine instructions beside them."""

from __future__ import annotations

import pytest

import codegen
import vgpu
from codegen.stats import executed, marked
from vgpu.program import Program
from vgpu.runtime import Machine, Run

LOOP = """.version 7.0
.target sm_75
.address_size 32
.visible .entry k(.param .u32 out, .param .u32 n)
{
    .reg .b32 %r<8>;
    .reg .pred %p;
    ld.param.u32 %r1, [out];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, 0;
again:
    add.u32 %r3, %r3, 5;
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p, %r2, 0;
    @%p bra again;
    @%p add.u32 %r3, %r3, 1;
    membar.gl;
    st.global.u32 [%r1], %r3;
    ret;
}
"""


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_loop(turns: int, threads: int) -> None:
    """3 before it, 4 a turn, 4 after it: whatever becomes of them, guarded ones included."""

    def launch(machine: Machine, program: Program) -> Run:
        return machine.run(program, {"n": turns}, {"out": ("u32", 1)}, block=threads)

    program = codegen.ptx_to_program(LOOP)
    counts = executed(program, marked(LOOP, program), launch)
    assert counts.ptx == threads * (3 + 4 * turns + 4)
    assert counts.library == 0
    run = launch(vgpu.Machine("interpreter"), program)
    assert counts.machine == run.instructions
    assert counts.ratio == counts.machine / counts.ptx
    assert run.outputs["out"] == [5 * turns]


def test_a_library_counts_apart() -> None:
    twice = "div.u32 %r3, %r3, %r2; div.u32 %r4, %r3, %r2; add.u32 %r3, %r3, %r4; again:"
    text = LOOP.replace("again:", twice)

    def launch(machine: Machine, program: Program) -> Run:
        return machine.run(program, {"n": 3}, {"out": ("u32", 1)})

    program = codegen.ptx_to_program(text)
    counts = executed(program, marked(text, program), launch)
    assert counts.ptx == 3 + 3 + 4 * 3 + 4
    assert 30 < counts.library < 60
    assert counts.machine - counts.library < 40
