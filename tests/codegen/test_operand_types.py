"""A register of a type that an instruction does not take is one line and never a wrong number
(PTX ISA 9.4.1: operand types must agree in size, and integers with integers; `ld`, `st` and `cvt`
take wider ones)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

import codegen
from codegen.errors import CompileError
from codegen.lower import rules
from codegen.lower.context import Lowering, Unit
from codegen.lower.examples import FRAME, example
from codegen.lower.function import RULE_MODULES
from codegen.lower.places import Places
from codegen.ptx import ast, parse
from tests.codegen.wide_frame import CORNERS, Law, wrong

REGISTER: Final = re.compile(r"%([hrwpfd])(\d)")
BITS: Final = {"p": 1, "h": 16, "r": 32, "w": 64, "f": 32, "d": 64}
WIDER: Final = ("ld", "ldu", "st")
EXAMPLES: Final = sorted(
    {
        text
        for (name, kind), (rule, _) in rules.RULES.items()
        if rule.__module__ in {module.__name__ for module in RULE_MODULES}
        if (text := example(name, kind)) and text.count(";") == 1 and REGISTER.search(text)
    }
)


def may_stand(text: str, at: re.Match[str], other: str) -> bool | None:
    """Whether a register of kind `other` may stand in the place `at`; None where the PTX ISA lets
    bits of any type in."""
    own, base = at[1], text.split(".", 1)[0]
    if "p" in (own, other):
        return own == other
    if text[at.start() - 1] == "[" or base == "isspacep":
        return other in "rw"
    if other in "fd":
        return None if BITS[own] == BITS[other] else False
    if base == "cvt":
        to, source = re.findall(r"\.[us](\d+)", text)
        return BITS[other] >= int(to if at[2] == "0" else source)
    if base in WIDER:
        return BITS[other] >= BITS[own]
    return BITS[own] == BITS[other]


def changed(text: str) -> Iterator[tuple[str, str, bool | None]]:
    """(the example with one register of another kind, that register, whether it may be)."""
    for at in REGISTER.finditer(text):
        for other in BITS:
            if other != at[1]:
                put = f"%{other}{at[2]}"
                yield text[: at.start()] + put + text[at.end() :], put, may_stand(text, at, other)


def test_each_instruction_with_each_wrong_register() -> None:
    cases = [case for text in EXAMPLES for case in changed(text)]
    body = "\n    ".join(text for text, _, _ in cases)
    module = parse(FRAME.replace("EXAMPLE", body), "k.ptx")
    function = module.kernels[0]
    places = Places("k.ptx", False, {})
    addresses = frozenset({"cell", "out"})
    low = Lowering(function, Unit(places, addresses, {f.name: f for f in module.functions}))
    statements = list(function.body or ())
    for statement in statements:
        if isinstance(statement, ast.Registers):
            low.declare(statement)
    lines = {s.position.line: s for s in statements if isinstance(s, ast.Instruction)}
    rejected = 0
    for line, (text, put, may) in enumerate(cases, 23):
        low.current, low.source = lines[line], places.of(lines[line], None, None)
        told = ""
        guard = lines[line].guard
        try:
            if guard is None:
                rules.apply(low, lines[line])
        except CompileError as error:
            told = str(error)
        if may is False and guard is None:
            rejected += 1
            assert told.startswith(f"k.ptx:{line}:5: unsupported PTX instruction"), text
            assert put in told.split("': ")[1] and "\n" not in told, told
        elif may:
            assert told == "", told
    assert rejected > 1000


FLOATS: Final = {
    "add.s32 %r0, %f1, %r2;": "%f1 is a .f32 register where .s32 is expected",
    "mul.lo.u32 %r0, %r1, %f2;": "%f2 is a .f32 register where .u32 is expected",
    "setp.lt.s32 %p0, %f1, %f2;": "%f1 is a .f32 register where .s32 is expected",
    "add.u64 %w0, %w1, %d1;": "%d1 is a .f64 register where .u64 is expected",
    "shl.b32 %r0, %r1, %f2;": "%f2 is a .f32 register where .u32 is expected",
    "ld.global.u32 %f0, [cell];": "%f0 is a .f32 register where .u32 or wider is expected",
    "st.global.f32 [cell], %d0;": "%d0 is a .f64 register where .f32 is expected",
    "mov.u32 %f0, %r1;": "%f0 is a .f32 register where .u32 is expected",
    "add.s32 %r0, %r1, 0f3F800000;": "a floating-point number stands where .s32 is expected",
    "mov.f32 %f0, 1;": "a whole number stands where .f32 is expected",
    "mov.b64 %w0, {%r0, %h1};": "%h1 is a .b16 register where .b32 is expected",
    "call (%r0), twice, (%w1);": "%w1 is a .b64 register where .b32 is expected",
    "call (%w0), twice, (%r1);": "%w0 is a .b64 register where .b32 is expected",
    "call (%r0), twice, (%f1);": "",
    "add.u32 %r0, %h1, %h2;": "%h1 is a .b16 register where .u32 is expected",
    "@%r1 mov.u32 %r0, 1;": "%r1 is not a predicate",
    "and.b32 %r0, %f1, %r2;": "",
    "mov.b32 %r0, %f1;": "",
    "selp.b32 %f0, %r1, %f2, %p1;": "",
    "st.global.b32 [cell], %f1;": "",
    "mov.b32 %r0, 0f3F800000;": "",
}


@pytest.mark.parametrize("text", FLOATS)
def test_a_register_and_its_place(text: str) -> None:
    try:
        codegen.ptx_to_program(FRAME.replace("EXAMPLE", text), name="k.ptx")
        told = ""
    except CompileError as error:
        told = str(error)
    assert FLOATS[text] in told and bool(FLOATS[text]) == bool(told)
    assert not told or told.startswith("k.ptx:23:5: ")


def _signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


WIDE: Final[dict[str, Law]] = {
    "source": ("cvt.u16.u32 %rs1, %rd1; cvt.u64.u16 %rd0, %rs1;", lambda a, b, c: a & 0xFFFF),
    "both": ("cvt.s16.s8 %rd0, %rd1;", lambda a, b, c: _signed(a, 8)),
    "unsigned": ("cvt.u32.s16 %rd0, %rd1;", lambda a, b, c: _signed(a, 16) & 0xFFFFFFFF),
    "result": ("cvt.s32.u8 %rd0, %r1;", lambda a, b, c: a & 0xFF),
    "word": ("cvt.s32.s32 %rd0, %r1;", lambda a, b, c: _signed(a, 32)),
}


@pytest.mark.parametrize("name", WIDE)
def test_a_conversion_between_registers_that_are_wider(name: str) -> None:
    assert wrong(WIDE[name], CORNERS, CORNERS, CORNERS) == []
