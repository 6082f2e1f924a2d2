"""Random PTX whose registers are written again and again, as people write it and no compiler does:
what the optimiser makes of it gives what the plain code gives."""

from __future__ import annotations

import random
from typing import Final

import pytest

import codegen
import vgpu
from codegen.stats import marked
from vgpu.geometry import Geometry
from vgpu.interpreter import Interpreter

REGISTERS: Final = 6
PREDICATES: Final = 4
THREADS: Final = 5
_HEAD: Final = """.version 7.0
.target sm_75
.address_size 32
.func (.reg .b32 y) mixed(.reg .b32 x, .reg .b32 z)
{
    mad.lo.u32 y, x, 5, z;
    ret;
}
.visible .entry k(.param .u32 out)
{
    .reg .b32 %r<6>, %at, %n<9>;
    .reg .pred %p<4>;
    .reg .b64 %w<3>;
    .local .b32 kept[4];
    ld.param.u32 %at, [out];
    mov.u32 %n0, %tid.x;
    mad.lo.u32 %at, %n0, 64, %at;
    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%at];
    ld.global.v2.u32 {%r4, %r5}, [%at+16];
    mov.b64 %w0, {%r0, %r1};
    mov.b64 %w1, {%r2, %r3};
    mov.b64 %w2, {%r4, %r5};
    setp.lt.u32 %p0|%p1, %r0, %r1;
    setp.lt.s32 %p2|%p3, %r2, %r3;
    st.local.u32 [kept], %r0;
    st.local.u32 [kept+4], %r1;
    st.local.u32 [kept+8], %r2;
    st.local.u32 [kept+12], %r3;
"""
_TAIL: Final = """
    st.global.v4.u32 [%at], {%r0, %r1, %r2, %r3};
    st.global.v2.u32 [%at+16], {%r4, %r5};
    selp.u32 %r0, 1, 0, %p0;
    @%p1 add.u32 %r0, %r0, 2;
    @%p2 add.u32 %r0, %r0, 4;
    @%p3 add.u32 %r0, %r0, 8;
    st.global.u32 [%at+24], %r0;
    st.global.v2.u64 [%at+32], {%w0, %w1};
    st.global.u64 [%at+48], %w2;
    ret;
}
"""


class Writer:
    """Writes random statements. Loops turn at most three times, branches go forwards."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.labels = 0

    def program(self) -> str:
        return _HEAD + "\n".join(self.some(3, 12)) + _TAIL

    def some(self, depth: int, most: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, most)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        kind = self.rng.random()
        if depth and kind < 0.22:
            return self.choice(depth - 1)
        if depth and kind < 0.28:
            return self.loop(depth - 1)
        return [self.guard() + self.simple()]

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def choice(self, depth: int) -> list[str]:
        """if, or if and else; sometimes with a way out of the middle."""
        end, other = self.label(), self.label()
        branch = f"@{self.rng.choice(('', '!'))}{self.p()} bra"
        first = self.some(depth, 3)
        if self.rng.random() < 0.3:
            first.insert(self.rng.randint(0, len(first)), f"@{self.p()} bra {end};")
        if self.rng.random() < 0.4:
            return [f"{branch} {end};", *first, f"{end}:"]
        second = self.some(depth, 3)
        return [f"{branch} {other};", *first, f"bra {end};", f"{other}:", *second, f"{end}:"]

    def loop(self, depth: int) -> list[str]:
        top, counter = self.label(), f"%n{depth + 1}"
        return [
            f"mov.u32 {counter}, {self.rng.randint(1, 3)};", f"{top}:", *self.some(depth, 4),
            f"sub.u32 {counter}, {counter}, 1;", f"setp.ne.u32 %p3, {counter}, 0;",
            f"@%p3 bra {top};",
        ]  # fmt: skip

    def guard(self) -> str:
        return f"@{self.rng.choice(('', '!'))}{self.p()} " if self.rng.random() < 0.25 else ""

    def r(self) -> str:
        return f"%r{self.rng.randrange(REGISTERS)}"

    def p(self) -> str:
        return f"%p{self.rng.randrange(PREDICATES)}"

    def w(self) -> str:
        return f"%w{self.rng.randrange(3)}"

    def v(self) -> str:
        """A source: a register or a constant."""
        if self.rng.random() < 0.7:
            return self.r()
        return str(self.rng.choice((0, 1, 2, 5, 31, 32, 255, -1, 0x7FFFFFFF, 0x80000000)))

    def simple(self) -> str:
        pick, r, p, v, w = self.rng.choice, self.r, self.p, self.v, self.w
        at = self.rng.randrange(4) * 4
        return pick((
            lambda: f"{pick(('add', 'sub', 'mul.lo'))}.u32 {r()}, {v()}, {v()};",
            lambda: f"{pick(('min', 'max'))}.{pick('us')}32 {r()}, {v()}, {v()};",
            lambda: f"{pick(('and', 'or', 'xor'))}.b32 {r()}, {v()}, {v()};",
            lambda: f"{pick(('shl.b', 'shr.u', 'shr.s'))}32 {r()}, {v()}, {v()};",
            lambda: f"mov.u32 {r()}, {v()};",
            lambda: f"mad.lo.u32 {r()}, {v()}, {v()}, {v()};",
            lambda: f"selp.u32 {r()}, {v()}, {v()}, {p()};",
            lambda: f"setp.{pick(('lt', 'eq', 'ge', 'ne'))}.{pick('us')}32 {p()}, {v()}, {v()};",
            lambda: f"setp.gt.{pick(('and', 'or', 'xor'))}.u32 %p0|%p1, {v()}, {v()}, {p()};",
            lambda: f"{pick(('and', 'or', 'xor'))}.pred {p()}, {p()}, {p()};",
            lambda: f"not.pred {p()}, {p()};",
            lambda: f"{pick(('popc', 'clz', 'not', 'brev'))}.b32 {r()}, {v()};",
            lambda: f"add.cc.u32 {r()}, {v()}, {v()}; addc.u32 {r()}, {v()}, {v()};",
            lambda: f"st.local.u32 [kept+{at}], {r()};",
            lambda: f"ld.local.u32 {r()}, [kept+{at}];",
            lambda: f"call ({r()}), mixed, ({r()}, {r()});",
            lambda: f"div.u32 {r()}, {r()}, {pick((3, 7, 10, 16))};",
            lambda: f"{pick(('add', 'sub', 'min', 'max'))}.{pick('us')}64 {w()}, {w()}, {w()};",
            lambda: f"setp.lt.{pick('us')}64 {p()}, {w()}, {w()};",
            lambda: f"mov.b64 {w()}, {{{r()}, {r()}}};",
            lambda: f"cvt.u32.u64 {r()}, {w()};",
            lambda: f"selp.b64 {w()}, {w()}, {w()}, {p()};",
        ))()  # fmt: skip


def check(seed: int) -> None:
    text = Writer(seed).program()
    try:
        program = codegen.ptx_to_program(text)
    except codegen.CompileError as error:
        assert "instructions; the machine holds" in str(error)
        return
    rng = random.Random(seed)
    words = [rng.choice((0, 1, 7, 0xFFFFFFFF, rng.getrandbits(32))) for _ in range(16 * THREADS)]
    outputs = [
        vgpu.Machine(Interpreter(Geometry(instructions=1 << 14)))
        .run(made, {"out": vgpu.Array("u32", words)}, {"out": ("u32", len(words))}, block=THREADS)
        .outputs["out"]
        for made in (program, marked(text, program))
    ]
    assert outputs[0] == outputs[1], text


BOTH_SIDES: Final = """
    setp.eq.u32 %p0, %r0, 0;
    @%p0 bra T;
    mov.u32 %r5, %r4;
    add.u32 %r1, %r5, 1;
    bra J;
T:
    add.u32 %r1, %r5, 1;
J:
    mov.u32 %r5, 0;
"""


def test_a_side_may_read_what_the_other_changes() -> None:
    text = _HEAD + BOTH_SIDES + _TAIL
    words = [word for t in range(THREADS) for word in [t % 2, 9, 9, 9, 100, 200, *[0] * 10]]
    out = vgpu.Machine("interpreter").run(
        codegen.ptx_to_program(text), {"out": vgpu.Array("u32", words)},
        {"out": ("u32", len(words))}, block=THREADS,
    ).outputs["out"]  # fmt: skip
    assert out[1::16] == [101 if t % 2 else 201 for t in range(THREADS)]


@pytest.mark.parametrize(("op", "keeps"), [("or", True), ("and", True), ("xor", False)])
def test_a_complement_combined_with_itself(op: str, keeps: bool) -> None:
    """%p1 is the complement of a comparison."""
    text = _HEAD + f"{op}.pred %p0, %p1, %p1;" + _TAIL
    words = [word for t in range(THREADS) for word in [t % 2, 1, 0, 0, *[0] * 12]]
    out = vgpu.Machine("interpreter").run(
        codegen.ptx_to_program(text), {"out": vgpu.Array("u32", words)},
        {"out": ("u32", len(words))}, block=THREADS,
    ).outputs["out"]  # fmt: skip
    assert [flags & 1 for flags in out[6::16]] == [t % 2 if keeps else 0 for t in range(THREADS)]


@pytest.mark.parametrize("seed", range(20))
def test_optimised_code_does_what_plain_code_does(seed: int) -> None:
    check(seed)
