"""A guard before any instruction: where it holds, it is as if it were not there; where it does not,
nothing happens. For the example of every rule of the compiler."""

from __future__ import annotations

from typing import Final

import pytest

import codegen
import vgpu
from codegen.lower.examples import FRAME, example
from codegen.lower.function import RULE_MODULES
from codegen.lower.rules import RULES

assert RULE_MODULES  # they fill the table
FAULTS: Final = ("trap", "brkpt", "cp")  # with the operands given
WORDS: Final = 32
_OUT: Final = "ld.param.u32 %at, [out];"
_OWN: Final = """ld.param.u32 %at, [out];
    mov.u32 %r0, %tid.x;
    mad.lo.u32 %at, %r0, 128, %at;"""
_CELL: Final = """ld.global.v2.u32 {%r1, %r2}, [cell];
    st.global.v2.u32 [%at+104], {%r1, %r2};
    ret;"""
GIVEN: Final = [(0x9E3779B9 * n ^ n << 7) & 0xFFFFFFFF for n in range(1, WORDS)]


def examples() -> dict[str, str]:
    """The example of each rule that is one instruction without a guard."""
    found: dict[object, str] = {}
    for (name, kind), (rule, _) in RULES.items():
        text = example(name, kind)
        if text is not None and text.count(";") == 1 and name not in ("ret", "exit", *FAULTS):
            found.setdefault(rule, text)
    return {text: text for text in found.values()}


def run(text: str, first: list[int]) -> list[list[int]]:
    """The words of each thread after `text`; `first` is word 1 of each, `%r1`."""
    whole = FRAME.replace("EXAMPLE", text).replace(_OUT, _OWN).replace("ret;\n}\n", _CELL + "\n}\n")
    program = codegen.ptx_to_program(whole)
    words = [word for r1 in first for word in [GIVEN[0], r1, r1 + 1 & 0xFFFFFFFF, *GIVEN[3:], 7]]
    done = vgpu.Machine("interpreter").run(
        program, {"out": vgpu.Array("u32", words)}, {"out": ("u32", len(words))},
        block=len(first), max_passes=3000,
    )  # fmt: skip
    out = done.outputs["out"]
    return [out[at : at + WORDS] for at in range(0, len(out), WORDS)]


@pytest.mark.parametrize("text", examples())
def test_a_guard(text: str) -> None:
    # %p1 is %r1 >= %r2, which holds where %r2 = %r1 + 1 went round
    holds, fails = 0xFFFFFFFF, 5
    words = {True: holds, False: fails}
    (as_ever,) = run(text, [holds])
    (nothing,) = run("", [fails])
    guarded = run(f"@%p1 {text}", [words[True], words[False]])
    assert guarded[0] == as_ever
    assert guarded[1][:26] == nothing[:26]
