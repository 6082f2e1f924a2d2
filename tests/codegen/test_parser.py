"""The PTX parser: what it reads, and one line with a place for what it cannot."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codegen.errors import CompileError
from codegen.ptx import ast, parse

HEAD = ".version 7.0\n.target sm_75, debug\n.address_size 64\n"
WHOLE = (
    HEAD
    + """
// a comment
.extern .shared .align 16 .b8 dynamic[];
.global .align 4 .u32 table[2][3] = {{1, 2, 3}, {4, 5, 0xff}};
.const .align 8 .b8 bytes[5] = {1, 2, 3};
.visible .global .f32 pi = 0f40490FDB;
.global .u64 where[2] = {table+8, generic(table)};
.file 1 "a.cu"
.func (.param .b32 r) twice(.param .b32 p) { ret; }
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.visible .entry k(
    .param .u64 .ptr .global .align 4 k_param_0,
    .param .align 4 .b8 k_param_1[12]
) .maxntid 128, 1, 1 .minnctapersm 2
{
    .reg .pred %p<2>, q;
    .reg .b32 %r<4>;
    .local .align 8 .b8 __local_depot0[40];
    .loc 1 3 5
    /* another
       comment */
    ld.param.u64 %rd1, [k_param_0];
    @!%p1 bra.uni $L__BB0_2;
    setp.lt.and.s32 %p1|q, %r1, -5, !q;
    ld.global.v2.u32 {%r1, %r2}, [%rd1+-8];
    st.shared.f32 [dynamic+4], 0f3F800000;
    mov.u32 %r3, %tid.x;
    call.uni (r), twice, (%r1);
$L__BB0_2:
    { .reg .b32 t; mov.b32 t, 0x12U; }
    ts: .branchtargets $L__BB0_2;
    .pragma "nounroll";
    ret;
}
.section .debug_info { .b8 1 }
"""
)


def test_a_whole_module() -> None:
    module = parse(WHOLE)
    assert (module.version, module.address_size, module.files) == ("7.0", 64, {1: "a.cu"})
    by_name = {v.name: v for v in module.variables}
    assert by_name["dynamic"].external and by_name["dynamic"].count == 0
    assert [n.value for n in by_name["table"].values or () if isinstance(n, ast.Number)] == [
        1, 2, 3, 4, 5, 255,
    ]  # fmt: skip
    assert by_name["where"].values == (ast.Name("table", 8), ast.Name("table"))
    assert by_name["pi"].values == (ast.FloatBits(0x40490FDB, 32),)
    (kernel,) = module.kernels
    assert [(p.name, p.size, p.pointer) for p in kernel.params] == [
        ("k_param_0", 8, True),
        ("k_param_1", 12, False),
    ]
    code = [i for i in kernel.body or () if isinstance(i, ast.Instruction)]
    assert [i.opcode for i in code][:3] == ["ld.param.u64", "bra.uni", "setp.lt.and.s32"]
    assert (code[1].guard, code[1].negated) == ("%p1", True)
    assert code[2].operands[0] == ast.Pair("%p1", "q")
    assert code[3].operands == (
        ast.Vector((ast.Name("%r1"), ast.Name("%r2"))),
        ast.Address("%rd1", -8),
    )
    assert code[2].text == "setp.lt.and.s32 %p1|q, %r1, -5, !q"


def test_positions_are_kept() -> None:
    lines = WHOLE.split("\n")
    for i in parse(WHOLE).kernels[0].body or ():
        if isinstance(i, ast.Instruction) and i.guard is None:
            line = lines[i.position.line - 1]
            assert line[i.position.column - 1 :].startswith(i.opcode)


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        (HEAD + ".entry k() { add.s32 %r1, , %r2; }", "k.ptx:4:27"),
        (HEAD + ".entry k() {\n  mov.u32 %r1 %r2;\n}", "k.ptx:5:15"),
        (HEAD + ".entry k() {\n  ret\n}", "k.ptx:6:1"),
        (HEAD + ".entry k() {\n  ret;\n", "k.ptx:5:7"),
        (HEAD + ".entry k() { ld.u32 %r1, [%r2; }", "k.ptx:4:30"),
        ("\x01\x02 binary", "k.ptx:1:1"),
        (".address_size 48\n", "k.ptx:1:15"),
        (HEAD + ".entry k() " + "{" * 10000, "k.ptx:4"),
    ],
)
def test_errors_name_the_place(broken: str, place: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse(broken, "k.ptx")
    assert str(caught.value).startswith(place + ": ")
    assert "\n" not in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(WHOLE)))
def test_a_truncated_file_is_an_error_or_a_shorter_module(length: int) -> None:
    try:
        parse(WHOLE[:length], "cut.ptx")
    except CompileError as error:
        assert str(error).startswith("cut.ptx:")


def test_a_thousand_lines_parse_quickly() -> None:
    body = "add.s32 %r1, %r2, 3;\n" * 1000
    parse(WHOLE)
    start = time.perf_counter()
    parse(HEAD + ".entry k() { .reg .b32 %r<4>;\n" + body + "ret; }")
    assert time.perf_counter() - start < 5
