"""64-bit loads, stores, parameters, calls, pointers and atomic operations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import codegen
import vgpu
from codegen.clang import find_clang
from tests.codegen.wide_frame import CORNERS, M32, M64, WORDS, Law, evaluate, machine, s, wrong

X = CORNERS * 2
Y = CORNERS[5:] + CORNERS + CORNERS[:5]
Z = CORNERS[::-1] * 2
needs_clang = pytest.mark.skipif(find_clang() is None, reason="no clang")

MEMORY: dict[str, Law] = {
    "load onto its address": (
        "add.s64 %rd4, %rd10, %rd14; ld.global.u64 %rd4, [%rd4]; mov.b64 %rd0, %rd4;",
        lambda a, b, c: a,
    ),
    "vector": (
        ".local .align 16 .b8 room[32]; mov.u64 %rd4, room; cvta.local.u64 %rd5, %rd4;"
        "st.local.v2.b64 [%rd4+16], {%rd1, %rd2}; ld.v2.u64 {%rd6, %rd5}, [%rd5+16];"
        "sub.s64 %rd0, %rd6, %rd5;",
        lambda a, b, c: a - b,
    ),
    "parts of a value": (
        ".local .align 8 .b8 room[8]; st.local.u64 [room], %rd1; ld.local.u8 %rd4, [room+7];"
        "ld.local.s16 %rd5, [room+2]; ld.local.s32 %rd6, [room+4]; add.s64 %rd0, %rd4, %rd5;"
        "mad.lo.s64 %rd0, %rd6, 3, %rd0;",
        lambda a, b, c: (a >> 56) + s(a >> 16, 16) + 3 * s(a >> 32, 32),
    ),
    "narrow stores": (
        ".local .align 8 .b8 room[8]; st.local.u64 [room], %rd2; st.local.u8 [room+1], %rd1;"
        "st.local.u32 [room+4], %rd3; st.local.u16 [room+2], %rd3; ld.local.b64 %rd0, [room];",
        lambda a, b, c: (b & 255) | (a & 255) << 8 | (c & 0xFFFF) << 16 | (c & M32) << 32,
    ),
    "a table in constant memory": (
        "and.b64 %rd4, %rd1, 3; mov.u64 %rd5, table; shl.b64 %rd4, %rd4, 3;"
        "add.s64 %rd5, %rd5, %rd4; ld.const.u64 %rd0, [%rd5+8];",
        lambda a, b, c: TABLE[(a & 3) + 1],
    ),
    "shared memory": (
        "mov.u64 %rd5, exchange; add.s64 %rd5, %rd5, %rd14; st.shared.u64 [%rd5], %rd1;"
        "bar.sync 0; ld.shared.u64 %rd0, [%rd5]; xor.b64 %rd0, %rd0, %rd2;",
        lambda a, b, c: a ^ b,
    ),
    "call": (
        "{ .param .b64 p; .param .b64 q; .param .b64 r; st.param.b64 [p], %rd1;"
        "st.param.b64 [q], %rd2; call.uni (r), mix, (p, q); ld.param.b64 %rd0, [r]; }",
        lambda a, b, c: a * 3 + b,
    ),
    "two calls": (
        "call (%rd4), sum, (%rd1, %rd2); call (%rd0), sum, (%rd4, -5);",
        lambda a, b, c: a + b - 5,
    ),
}
TABLE = [1, M64, 1 << 40, 0x8000000000000000, 77]
PRELUDE = (
    ".const .align 8 .u64 table[5] = {" + ", ".join(str(n) for n in TABLE) + "};\n"
    ".shared .align 8 .b8 exchange[1024];\n"
    ".func (.param .b64 r) mix(.param .b64 p, .param .b64 q) { .reg .b64 %rd<9>;"
    "ld.param.b64 %rd1, [p]; ld.param.b64 %rd2, [q]; mad.lo.s64 %rd3, %rd1, 3, %rd2;"
    "st.param.b64 [r], %rd3; ret; }\n"
    ".func (.reg .b64 %r) sum(.reg .b64 %a, .reg .b64 %b) { add.s64 %r, %a, %b; ret; }\n"
)


@pytest.mark.parametrize("name", MEMORY)
def test_memory_and_calls(name: str) -> None:
    body, meaning = MEMORY[name]
    wanted = [meaning(a, b, c) & M64 for a, b, c in zip(X, Y, Z, strict=True)]
    assert evaluate(body, X, Y, Z, PRELUDE) == wanted


_ATOMIC = """
.version 6.3
.target sm_75
.address_size 64
.visible .entry k(.param .u64 .ptr x, .param .u64 .ptr cell, .param .u64 .ptr old)
{{
    .reg .b32 %r<9>;
    .reg .pred %p<9>;
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [cell];
    ld.param.u64 %rd3, [old];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 8;
    add.s64 %rd1, %rd1, %rd4;
    add.s64 %rd3, %rd3, %rd4;
    ld.global.u64 %rd5, [%rd1];
    {body}
    st.global.u64 [%rd3], %rd6;
    ret;
}}
"""
_MEANING = {
    "add.u64": lambda old, value: (old + value) & M64,
    "and.b64": lambda old, value: old & value,
    "or.b64": lambda old, value: old | value,
    "xor.b64": lambda old, value: old ^ value,
    "exch.b64": lambda old, value: value,
    "min.u64": min,
    "max.u64": max,
    "min.s64": lambda old, value: min(old, value, key=s),
    "max.s64": lambda old, value: max(old, value, key=s),
}


def run_atomic(body: str, values: list[int], start: int) -> tuple[int, list[int]]:
    """(the cell at the end, what each thread got)."""
    program = codegen.ptx_to_program(_ATOMIC.format(body=body))
    inputs = {"x": vgpu.Array("u64", values), "cell": vgpu.Array("u64", [start])}
    outputs = {"cell": ("u64", 1), "old": ("u64", len(values))}
    run = machine().run(program, inputs, outputs, block=len(values))
    return run.outputs["cell"][0], run.outputs["old"]


@pytest.mark.parametrize("op", _MEANING)
@settings(max_examples=8, deadline=None)
@given(values=st.lists(WORDS, min_size=1, max_size=40), start=WORDS)
def test_atomic_operations_happen_one_after_the_other(
    op: str, values: list[int], start: int
) -> None:
    """Some order of the threads explains every old value and the last one."""
    cell, old = run_atomic(f"atom.global.{op} %rd6, [%rd2], %rd5;", values, start)
    steps = list(zip(old, values, strict=True))
    now = start
    while steps:
        # of several with the same old value, one that changes nothing can go first
        ready = [step for step in steps if step[0] == now]
        assert ready, (now, steps)
        step = next((r for r in ready if _MEANING[op](*r) == now), ready[0])
        steps.remove(step)
        now = _MEANING[op](*step)
    assert cell == now


def test_reductions_and_guards() -> None:
    body = "mov.u64 %rd6, 0; setp.gt.u64 %p1, %rd5, 9; @%p1 red.global.add.u64 [%rd2], %rd5;"
    values = [5, 1 << 40, M64, 10, 3, 7 << 32]
    cell, _ = run_atomic(body, values, 1)
    assert cell == (1 + (1 << 40) + M64 + 10 + (7 << 32)) & M64


def test_compare_and_swap_in_a_loop() -> None:
    """Every thread adds its number to the cell, and 1 to its upper word, by atom.cas."""
    body = (
        "ld.global.u64 %rd6, [%rd2]; A: mov.b64 %rd7, %rd6; add.s64 %rd8, %rd7, %rd5;"
        "add.s64 %rd8, %rd8, 0x100000000; atom.global.cas.b64 %rd6, [%rd2], %rd7, %rd8;"
        "setp.ne.s64 %p1, %rd6, %rd7; @%p1 bra A;"
    )
    values = list(range(0xFFFFFFF0, 0xFFFFFFF0 + 24))
    cell, old = run_atomic(body, values, 3)
    assert cell == 3 + sum(values) + (24 << 32)
    assert len(set(old)) == 24


def test_pointers_of_64_bits_cost_no_more() -> None:
    """The same kernel takes no more instructions with pointers of 8 bytes than of 4."""
    counts = []
    for size in (32, 64):
        wide = size == 64
        register, parameter = ("%rd", ".u64") if wide else ("%r", ".u32")
        scale = "mul.wide.s32 %rd9, %r9, 4;" if wide else "shl.b32 %r9, %r9, 2;"
        text = f"""
        .version 6.3
        .target sm_75
        .address_size {size}
        .visible .entry k(.param {parameter} .ptr a, .param {parameter} .ptr o, .param .u32 n)
        {{
            .reg .b32 %r<20>;
            .reg .pred %p<3>;
            .reg .b64 %rd<20>;
            ld.param{parameter} {register}1, [a];
            ld.param{parameter} {register}2, [o];
            ld.param.u32 %r12, [n];
            cvta.to.global{parameter} {register}1, {register}1;
            mov.u32 %r9, %tid.x;
            {scale}
            add.s{size} {register}3, {register}2, {register}9;
            mov.u32 %r10, 0;
        A:  ld.global.u32 %r11, [{register}1];
            add.s32 %r10, %r10, %r11;
            add.s{size} {register}1, {register}1, 4;
            add.s32 %r12, %r12, -1;
            setp.ne.s32 %p1, %r12, 0;
            @%p1 bra A;
            st.global.u32 [{register}3], %r10;
            ret;
        }}
        """
        program = codegen.ptx_to_program(text)
        assert [p.size for p in program.params] == [size // 8, size // 8, 4]
        run = machine().run(program, {"a": [3, 4, 5], "n": 3}, {"o": 4}, block=4)
        assert run.outputs["o"] == [12] * 4
        counts.append(run.instructions)
    assert counts[1] <= counts[0]


@needs_clang
def test_device_functions_with_64_bits() -> None:
    source = """
    struct Both { long long sum; unsigned long long product; };
    __device__ __noinline__ Both both(long long a, int n, unsigned long long b) {
      return {a + n, b * (unsigned long long)a};
    }
    __device__ __noinline__ long long depth(long long n) {
      return n <= 0 ? 0 : n + depth(n - 3);
    }
    __global__ void k(const long long *a, long long *o) {
      Both r = both(a[threadIdx.x], -3, 0x123456789abcdefull);
      o[2 * threadIdx.x] = r.sum;
      o[2 * threadIdx.x + 1] = (long long)r.product + depth(a[threadIdx.x] & 15);
    }
    """
    program = codegen.compile_source(source)
    values = [0, -1, 1 << 40, 12345678901234567]
    run = machine().run(program, {"a": vgpu.Array("i64", values)}, {"o": ("i64", 8)}, block=4)
    wanted: list[int] = []
    for a in values:
        total = sum(range(a & 15, 0, -3))
        wanted += [s(a - 3), s(0x123456789ABCDEF * a + total)]
    assert run.outputs["o"] == wanted


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("add.s32 %r0, %rd1, 1;", "%rd1 is a .b64 register where .s32 is expected"),
        ("add.s64 %rd0, %r1, 1;", "%r1 is a .b32 register where .s64 is expected"),
        ("mov.u64 %r0, %rd1;", "%r0 is a .b32 register where .u64 is expected"),
        ("atom.global.inc.u64 %rd0, [%rd10], %rd1;", "atom.inc has no u64 form"),
        ("add.u64 %rd0, %rd1, 0x10000000000000000;", "does not fit 64 bits"),
    ],
)
def test_wrong_widths_are_told(body: str, told: str) -> None:
    with pytest.raises(codegen.CompileError, match=told):
        evaluate(body, [0], [0], [0])


def test_laws_are_checked() -> None:
    """A wrong law is found."""
    assert wrong(("add.s64 %rd0, %rd1, %rd2;", lambda a, b, c: a + b + (a >> 63)), X, Y, Z)


@needs_clang
def test_atomic_functions_of_cuda() -> None:
    source = """
    __global__ void k(unsigned long long *sum, long long *least, unsigned long long *chain,
                      unsigned long long *left, const unsigned long long *x) {
      unsigned long long v = x[threadIdx.x], old = *chain, seen;
      atomicAdd(sum, v);
      atomicMin(least, (long long)v);
      atomicSub(left, v);
      do { seen = old; old = atomicCAS(chain, seen, seen * 3 + 1); } while (old != seen);
    }
    """
    values = [(n * 0x9E3779B97F4A7C15) & M64 for n in range(20)]
    names = {"sum": 0, "least": 5, "chain": 1, "left": 7}
    outputs = {n: ("i64" if n == "least" else "u64", 1) for n in names}
    inputs = {n: vgpu.Array(outputs[n][0], [v]) for n, v in names.items()}
    program = codegen.compile_source(source)
    run = machine().run(program, inputs | {"x": vgpu.Array("u64", values)}, outputs, block=20)
    chain = 1
    for _ in values:
        chain = (chain * 3 + 1) & M64
    assert {n: run.outputs[n][0] for n in names} == {
        "sum": sum(values) & M64,
        "least": min(5, *(s(v) for v in values)),
        "chain": chain,
        "left": (7 - sum(values)) & M64,
    }
