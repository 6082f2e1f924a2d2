"""An example of each instruction that there is a rule for (see `codegen.lower.reference`)."""

from __future__ import annotations

from typing import Final

TITLES: Final = {
    "codegen.lower.arithmetic": "Integer arithmetic",
    "codegen.lower.saturate": "24-bit products",
    "codegen.lower.carry": "Chains of carries",
    "codegen.lower.bits": "Shifts and bits",
    "codegen.lower.permute": "Bytes and three-way logic",
    "codegen.lower.control": "Comparison, selection and flow",
    "codegen.lower.convert": "Moves and conversions",
    "codegen.lower.wide_rules": "64-bit arithmetic",
    "codegen.lower.wide_memory": "64-bit moves, conversions and accesses",
    "codegen.lower.memory": "Loads, stores and fences",
    "codegen.lower.spaces": "Spaces",
    "codegen.lower.copies": "Hints and copies",
    "codegen.lower.atomics": "Atomic operations",
    "codegen.lower.wide_atomics": "64-bit atomic operations",
    "codegen.lower.warp": "Warps",
    "codegen.lower.block": "Barriers and reductions",
}
"""Modules of rules, in the order of the page."""

FRAME: Final = """.version 8.0
.target sm_90
.address_size 32
.global .align 8 .b32 cell[8];
.func (.reg .b32 y) twice(.reg .b32 x) { shl.b32 y, x, 1; ret; }
.visible .entry example(.param .u32 out)
{
    .reg .pred %p<4>;
    .reg .b16 %h<4>;
    .reg .b32 %r<4>, %at;
    .reg .b64 %w<4>;
    .reg .f32 %f<4>;
    .reg .f64 %d<4>;
    ld.param.u32 %at, [out];
    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%at];
    ld.global.v4.u16 {%h0, %h1, %h2, %h3}, [%at+16];
    ld.global.v2.u64 {%w0, %w1}, [%at+32];
    ld.global.v2.u64 {%w2, %w3}, [%at+48];
    ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%at+64];
    ld.global.v2.f64 {%d0, %d1}, [%at+80];
    setp.lt.u32 %p0|%p1, %r1, %r2;
    setp.eq.u32 %p2|%p3, %r1, %r3;
    EXAMPLE
    st.global.v4.u32 [%at], {%r0, %r1, %r2, %r3};
    st.global.v4.u16 [%at+16], {%h0, %h1, %h2, %h3};
    st.global.v2.u64 [%at+32], {%w0, %w1};
    st.global.v2.u64 [%at+48], {%w2, %w3};
    st.global.v4.f32 [%at+64], {%f0, %f1, %f2, %f3};
    st.global.v2.f64 [%at+80], {%d0, %d1};
    selp.u32 %r0, 1, 0, %p0;
    st.global.u32 [%at+96], %r0;
    ret;
}
"""
# register and type by kind: {d} {a} {b} {c} are numbers 0 to 3 of the kind's registers
_REGISTERS: Final = {
    "8": "%h", "16": "%h", "32": "%r", "16x2": "%r", "64": "%w", "pred": "%p", "f32": "%f",
    "f64": "%d",
}  # fmt: skip
_BITS: Final = frozenset("and or xor not cnot shl popc clz brev mov".split())
_PATTERNS: Final = {
    "{name}.{t} {d}, {a}, {b};": "add sub addc subc min max and or xor div rem",
    "{name}.{t} {d}, {a};": "abs neg not cnot brev mov",
    "{name}.{t} %r0, {a};": "popc clz bfind",
    "{name}.{t} {d}, {a}, %r2;": "shl shr",
    "{name}.lo.{t} {d}, {a}, {b};": "mul mul24",
    "{name}.lo.{t} {d}, {a}, {b}, {c};": "mad mad24 madc",
    "{name}.{t} {d}, {a}, {b}, {c};": "sad",
    "{name}.{t} {d}, {a}, %r2, %r3;": "bfe",
    "{name}.{t} {d}, {a}, {b}, %r2, %r3;": "bfi",
    "{name}.clamp.{t} {d}, {a}, {b};": "bmsk szext",
    "{name}.{t} {d}, {a}, {b}, %p1;": "selp",
    "{name}.{t}.s32 {d}, {a}, {b}, %r3;": "slct",
    "{name}.lt.{t} %p0, {a}, {b};": "setp",
    "{name}.lt.u32.{t} %r0, {a}, {b};": "set",
    "{name}.global.{t} {d}, [cell];": "ld ldu",
    "{name}.global.{t} [cell], {a};": "st",
    "{name}.to.global.{t} {d}, {a};": "cvta",
    "{name}.global.add.{t} {d}, [cell], {a};": "atom",
    "{name}.global.add.{t} [cell], {a};": "red",
    "{name}.any.sync.{t} %r0, {a}, 0xffffffff;": "match",
}
_OTHERS: Final = {
    ("cvt", "8"): "cvt.u8.u32 %h0, %r1;", ("cvt", "16"): "cvt.s16.u16 %h0, %h1;",
    ("cvt", "32"): "cvt.s32.s16 %r0, %h1;", ("cvt", "64"): "cvt.s64.s32 %w0, %r1;",
    ("atom", "16"): "atom.global.cas.b16 %h0, [cell], %h1, %h2;",
    ("bar", "none"): "bar.sync 0;", ("barrier", "none"): "barrier.cta.sync 0;",
    ("bar", "pred"): "bar.red.or.pred %p0, 0, %p1;",
    ("bar", "32"): "bar.red.popc.u32 %r0, 0, %p1;",
    ("barrier", "pred"): "barrier.cta.red.and.pred %p0, 0, %p1;",
    ("barrier", "32"): "barrier.cta.red.popc.u32 %r0, 0, %p1;",
    ("vote", "pred"): "vote.sync.any.pred %p0, %p1, 0xffffffff;",
    ("vote", "32"): "vote.sync.ballot.b32 %r0, %p1, 0xffffffff;",
}  # fmt: skip
_SINGLE: Final = {
    "activemask": "activemask.b32 %r0;",
    "applypriority": "applypriority.global.L2::evict_normal [cell], 128;",
    "bra": "@%p1 bra over; fns.b32 %r0, %r1, %r2, %r3; over:",
    "brkpt": "brkpt;",
    "brx": "ways: .branchtargets A, B, C, B; brx.idx %r1, ways; C: div.u32 %r0, %r0, %r1; "
    "B: div.u32 %r0, %r0, %r2; A:",
    "call": "call (%r0), twice, (%r1); call.uni (%r2), twice, (%r0);",
    "cp": "cp.async.ca.shared.global [%r1], [cell], 4;",
    "createpolicy": "createpolicy.fractional.L2::evict_last.b64 %w0, 1.0;",
    "discard": "discard.global.L2 [cell], 128;",
    "dp2a": "dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;",
    "dp4a": "dp4a.s32.s32 %r0, %r1, %r2, %r3;",
    "elect": "elect.sync %r0|%p0, 0xffffffff;",
    "exit": "@%p1 exit;",
    "fence": "fence.acq_rel.gpu;",
    "fns": "fns.b32 %r0, %r1, %r2, %r3;",
    "griddepcontrol": "griddepcontrol.wait;",
    "isspacep": "isspacep.shared %p0, %r1;",
    "lop3": "lop3.b32 %r0, %r1, %r2, %r3, 0xE8;",
    "membar": "membar.gl;",
    "nanosleep": "nanosleep.u32 100;",
    "pmevent": "pmevent 1;",
    "prefetch": "prefetch.global.L2 [cell];",
    "prefetchu": "prefetchu.L1 [cell];",
    "prmt": "prmt.b32 %r0, %r1, %r2, %r3;",
    "redux": "redux.sync.add.s32 %r0, %r1, 0xffffffff;",
    "ret": "@%p1 ret;",
    "setmaxnreg": "setmaxnreg.inc.sync.aligned.u32 40;",
    "shf": "shf.l.wrap.b32 %r0, %r1, %r2, %r3;",
    "shfl": "shfl.sync.bfly.b32 %r0, %r1, 16, 31, 0xffffffff;",
    "trap": "@%p1 trap;",
}
_REJECTED: Final = frozenset(
    [(name, kind) for name in ("atom", "red") for kind in ("128", "b128", "f16x2")]
    + [("red", "16")]
)


def example(name: str, kind: str) -> str | None:
    """A PTX instruction called `name` of a type class; None where the rule only rejects.

    Raises KeyError when there is none.
    """
    if (name, kind) in _REJECTED:
        return None
    if name in _SINGLE:
        return _SINGLE[name]
    if (name, kind) in _OTHERS:
        return _OTHERS[name, kind]
    pattern = next(p for p, names in _PATTERNS.items() if name in names.split())
    register = _REGISTERS[kind]
    places = {key: f"{register}{n}" for n, key in enumerate("dabc")}
    return pattern.format(name=name, t=_type(name, kind), **places)


def _type(name: str, kind: str) -> str:
    if not kind[0].isdigit():
        return kind
    letter = "b" if name in _BITS | {"selp", "bfi", "bmsk", "slct", "match"} else "u"
    return ("s" if name in ("abs", "neg") else letter) + kind
