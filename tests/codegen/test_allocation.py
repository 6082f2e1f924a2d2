"""Register allocation: any number of live values gives the right result, spilled or not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codegen
import vgpu
from vgpu.isa import PREDICATES, REGISTERS

M = 0xFFFFFFFF
HEAD = ".version 6.3\n.target sm_75\n.address_size 32\n"


def run(text: str, inputs: dict[str, object], count: int, block: int = 1) -> list[int]:
    program = codegen.ptx_to_program(text)
    machine = vgpu.Machine(engine="interpreter")
    got = machine.run(program, inputs, {"out": ("u32", count)}, block=block)  # type: ignore[arg-type]
    return list(got.outputs["out"])


def many_registers(live: int) -> str:
    """Loads `live` values, then uses all of them, last first."""
    loads = "".join(f"ld.global.u32 %r{n}, [%a+{4 * n}];\n" for n in range(live))
    sums = "".join(f"mad.lo.u32 %s, %s, 31, %r{n};\n" for n in reversed(range(live)))
    return f"""{HEAD}
    .visible .entry k(.param .u32 .ptr a, .param .u32 .ptr out)
    {{
        .reg .b32 %r<{live}>, %s, %a, %o, %t;
        ld.param.u32 %a, [a];
        ld.param.u32 %o, [out];
        mov.u32 %t, %tid.x;
        {loads}
        mov.u32 %s, %t;
        {sums}
        shl.b32 %t, %t, 2;
        add.u32 %o, %o, %t;
        st.global.u32 [%o], %s;
        ret;
    }}"""


@pytest.mark.parametrize("live", [5, 28, 29, 30, 33, 60, 100])
def test_any_number_of_live_registers(live: int) -> None:
    values = [random.Random(live).getrandbits(32) for _ in range(live)]
    results = []
    for thread in range(3):
        total = thread
        for value in reversed(values):
            total = (total * 31 + value) & M
        results.append(total)
    inputs = {"a": vgpu.Array("u32", values)}
    assert run(many_registers(live), inputs, 3, block=3) == results
    program = codegen.ptx_to_program(many_registers(live))
    assert program.stats["registers"] <= REGISTERS
    assert (program.stats["spills"] > 0) == (live > REGISTERS - 3)
    assert (program.local_bytes > 0) == (program.stats["spills"] > 0)


@pytest.mark.parametrize("live", [4, 7, 8, 9, 20])
def test_any_number_of_live_predicates(live: int) -> None:
    sets = "".join(f"setp.gt.u32 %p{n}, %x, {7 * n};\n" for n in range(live))
    adds = "".join(f"@%p{n} add.u32 %s, %s, {1 << n};\n" for n in reversed(range(live)))
    text = f"""{HEAD}
    .visible .entry k(.param .u32 x, .param .u32 .ptr out)
    {{
        .reg .pred %p<{live}>;
        .reg .b32 %x, %s, %o;
        ld.param.u32 %x, [x];
        ld.param.u32 %o, [out];
        {sets}
        mov.u32 %s, 0;
        {adds}
        st.global.u32 [%o], %s;
        ret;
    }}"""
    for x in (0, 1, 22, 50, 1000):
        expected = sum((x > 7 * n) << n for n in range(live))
        assert run(text, {"x": x}, 1) == [expected]
    assert codegen.ptx_to_program(text).stats["predicates"] <= PREDICATES


@st.composite
def random_kernel(draw: st.DrawFn) -> tuple[list[tuple[str, int, int, int]], int]:
    """Straight-line code over many registers, with a loop round it."""
    registers = draw(st.integers(3, 45))
    number = st.integers(0, registers - 1)
    ops = st.sampled_from(["add", "sub", "xor", "mul", "select"])
    code = draw(st.lists(st.tuples(ops, number, number, number), min_size=1, max_size=60))
    return code, registers


@settings(max_examples=40, deadline=None)
@given(random_kernel())
def test_random_code_means_what_it_says(
    kernel: tuple[list[tuple[str, int, int, int]], int],
) -> None:
    code, registers = kernel
    spelled = {"add": "add.u32", "sub": "sub.u32", "xor": "xor.b32", "mul": "mul.lo.u32"}
    lines = []
    for op, d, a, b in code:
        if op == "select":
            lines.append(f"setp.lt.u32 %p, %r{a}, %r{b}; selp.b32 %r{d}, %r{b}, %r{d}, %p;")
        else:
            lines.append(f"{spelled[op]} %r{d}, %r{a}, %r{b};")
    starts = "".join(f"mov.u32 %r{n}, {n * 2654435761 & M};\n" for n in range(registers))
    stores = "".join(f"st.global.u32 [%o+{4 * n}], %r{n};\n" for n in range(registers))
    text = f"""{HEAD}
    .visible .entry k(.param .u32 .ptr out)
    {{
        .reg .pred %p, %q;
        .reg .b32 %r<{registers}>, %o, %i;
        ld.param.u32 %o, [out];
        mov.u32 %i, 3;
        {starts}
    again:
        {"".join(lines)}
        sub.u32 %i, %i, 1;
        setp.ne.u32 %q, %i, 0;
        @%q bra again;
        {stores}
        ret;
    }}"""
    state = [n * 2654435761 & M for n in range(registers)]
    for _ in range(3):
        for op, d, a, b in code:
            x, y = state[a], state[b]
            state[d] = {
                "add": x + y, "sub": x - y, "xor": x ^ y, "mul": x * y,
                "select": y if x < y else state[d],
            }[op] & M  # fmt: skip
    assert run(text, {}, registers) == state
