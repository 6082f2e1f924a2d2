"""What is said of a source that the machine cannot run: one line with its place, then the line
of the source and a mark."""

from __future__ import annotations

from typing import Final

import pytest

import codegen
from codegen.clang import find_clang
from codegen.errors import CompileError, caret, place_of
from codegen.lower.examples import FRAME

needs_clang = pytest.mark.skipif(find_clang() is None, reason="no clang")
LINE: Final = 23  # of the example in its frame

UNSUPPORTED: Final = {
    "mov.u32 %r0, %clock;": "the machine has no clock that a kernel can read",
    "mov.u64 %w0, %globaltimer;": "the machine has no clock that a kernel can read",
    "mov.u32 %r0, %r99;": "%r99 is not declared, nor a special register that the machine has",
    "mov.u32 %r0, %tid;": "one part of %tid is expected: %tid.x",
    "mov.u32 %r0, twice;": "a function has no address here",
    "call (%r0), %r1, (%r2), proto;": "calls through a register are not supported",
    "call (%r0), nosuch, (%r2);": "function 'nosuch' is not defined in this file",
    "call (%r0), twice, (%r1, %r2);": "takes another number of arguments",
    "bar.sync 0, 32;": "leave the count out",
    "bar.sync 16;": "barriers have numbers from 0 to 15",
    "bar.arrive 0, 32;": "a thread cannot arrive without waiting",
    "barrier.cluster.arrive;": "there are no clusters",
    "vote.all.pred %p0, %p1;": "votes without .sync are gone from PTX",
    "shfl.idx.b32 %r0, %r1, 0, 31;": "shuffles without .sync are gone from PTX",
    "add.sat.u32 %r0, %r1, %r2;": ".sat is for .s32",
    "add.rz.s32 %r0, %r1, %r2;": ".rz is not supported",
    "add.u8 %r0, %r1, %r2;": "add works on types of 16, 32, 64 bits",
    "adds.u32 %r0, %r1, %r2;": "there is no such instruction; did you mean add?",
    "add.u32 %r0, %r1;": "3 operands expected",
    "add.u32 %r0, %w1, %r1;": "%w1 is a .b64 register where .u32 is expected",
    "add.u32 %p0, %r1, %r1;": "%p0 is a .pred register where .u32 is expected",
    "mul.wide.u64 %w0, %w1, %w2;": "use .lo and .hi",
    "shf.l.b32 %r0, %r1, %r2, %r3;": "shf.l or shf.r with .wrap or .clamp is expected",
    "add.f32 %f0, %f1, %f2;": "the machine has no floating point yet; use integers",
    "cvt.rn.f32.s32 %f0, %r1;": "the machine has no floating point yet; use integers",
    "fma.rn.f64 %d0, %d1, %d1, %d1;": "the machine has no double precision",
    "atom.global.exch.b16 %h0, [cell], %h1;": "of 16 bits there is only atom.cas.b16",
    "atom.global.min.b32 %r0, [cell], %r1;": "needs a type with a sign",
    "ld.global.v4.u32 {%r0, %r1}, [cell];": "the vector has the wrong number of elements",
    "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [cell, {%r1}];": "the machine has no textures",
}


@pytest.mark.parametrize("text", UNSUPPORTED)
def test_an_instruction_that_is_not_supported(text: str) -> None:
    with pytest.raises(CompileError) as caught:
        codegen.ptx_to_program(FRAME.replace("EXAMPLE", text), name="k.ptx")
    told = str(caught.value)
    start = f"k.ptx:{LINE}:5: unsupported PTX instruction '{text.rstrip(';')}': "
    assert told.startswith(start)
    assert UNSUPPORTED[text] in told
    assert "\n" not in told
    assert caught.value.details == f"        {text}\n        ^"


DECLARATIONS: Final = {
    "L: L: bra L;": "'L' is declared twice",
    ".reg .b32 x; .reg .b64 x;": "'x' is declared twice",
    ".local .b32 x = 3;": ".local variables have no initial values",
    ".shared .b32 x[2] = {1, 2};": ".shared variables have no initial values",
    ".global .b32 x[1] = {1, 2}; st.global.u32 [x], %r0;": "more initial values than elements",
    "bra nowhere;": "label 'nowhere' is not defined",
    "mov.u32 %r0, 5 / (3 - 3);": "constant expression: division by zero",
    "mov.u32 %r0, (3 ? 4);": "constant expression: '?' without ':'",
    "mov.u32 %r0, 1 +;": "PTX syntax error at ';'",
}


@pytest.mark.parametrize("text", DECLARATIONS)
def test_a_declaration_that_is_wrong(text: str) -> None:
    with pytest.raises(CompileError) as caught:
        codegen.ptx_to_program(FRAME.replace("EXAMPLE", text), name="k.ptx")
    assert str(caught.value).startswith(f"k.ptx:{LINE}:")
    assert DECLARATIONS[text] in str(caught.value)
    shown, mark = caught.value.details.split("\n")
    assert shown == f"        {text}"
    assert mark.strip() == "^"


@pytest.mark.parametrize("deep", ["(" * 5000 + "1" + ")" * 5000, "~" * 5000 + "1"])
def test_a_deep_expression_is_an_error_or_a_number(deep: str) -> None:
    text = FRAME.replace("EXAMPLE", f"mov.u32 %r0, {deep};")
    try:
        codegen.ptx_to_program(text, name="k.ptx")
    except CompileError as error:
        assert str(error) == "k.ptx: an expression is nested too deeply"


def test_too_many_instructions() -> None:
    long = "mad.lo.u32 %r0, %r0, %r1, %r2;\n" * 1100
    with pytest.raises(CompileError) as caught:
        codegen.ptx_to_program(FRAME.replace("EXAMPLE", long), name="k.ptx")
    told = str(caught.value)
    assert told.startswith("k.ptx:6:17: this kernel needs 1,1")
    assert "the machine holds 1,024: make example smaller" in told
    assert caught.value.details.endswith("\n" + " " * 20 + "^")


def test_too_much_memory() -> None:
    body = ".local .b32 many[4000]; st.local.u32 [many], %r1; .shared .b32 few[200]; "
    with pytest.raises(CompileError, match=r"16,8\d\d bytes of memory before its arrays") as caught:
        codegen.ptx_to_program(FRAME.replace("EXAMPLE", body + "st.shared.u32 [few], %r1;"))
    assert "16,000 of local variables" in str(caught.value)


CUDA: Final = """\
__device__ int inner(float x) { return (int)(x * 2.0f); }
__device__ int outer(int v) {
\treturn inner((float)v) + 1;
}
__global__ void k(const int *a, int *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = outer(a[i]);
}
"""


@needs_clang
def test_a_call_that_was_inlined_is_named() -> None:
    with pytest.raises(CompileError) as caught:
        codegen.compile_source(CUDA, name="k.cu")
    assert str(caught.value).startswith("k.cu:3:")
    assert "the machine has no floating point yet" in str(caught.value)
    shown, mark, caller = caught.value.details.split("\n")
    assert shown == "     return inner((float)v) + 1;"
    assert mark.strip() == "^" and len(mark) > 5
    assert caller.startswith("    called from k.cu:7:")


def test_a_mark_is_left_out_where_it_cannot_stand() -> None:
    assert caret("one\ntwo", 2, 2) == "    two\n     ^"
    assert caret("one\ntwo", 2, 0) == "    two"
    assert caret("one\ntwo", 3, 1) == caret("one", 0, 0) == caret("a\x1b[1m", 1, 1) == ""
    assert caret("x" * 1000, 1, 5) == ""
    assert place_of("a.cu:3:4: error: b", "a.cu") == (3, 4)
    assert place_of("a.cu:3: error", "a.cu") == (3, 0)
    assert place_of("a.cu: error", "a.cu") == place_of("b.cu:3:4: x", "a.cu") == (0, 0)
