"""Warp operations with different masks meet at different numbers."""

from __future__ import annotations

import pytest

import codegen
from vgpu import isa


def kernel(masks: list[str]) -> str:
    votes = [f"n += __ballot_sync({mask}, n > 3);" for mask in masks]
    lines = ["__global__ void k(unsigned* o, unsigned m) {", "unsigned n = o[0];", *votes]
    return "\n".join([*lines, "o[0] = n;", "}"])


def numbers(masks: list[str]) -> list[int]:
    program = codegen.compile_source(kernel(masks))
    decoded = (isa.decode(word) for word in program.code)
    return [isa.MEETING.get(i.b) for i in decoded if i is not None and i.op == "vote"]


def test_the_same_mask_has_the_same_number_and_the_whole_warp_has_none() -> None:
    assert numbers(["0xffffffff", "0xff", "~0u", "0xff", "0xff00", "m", "m"]) == [
        0, 1, 0, 1, 2, 3, 3,
    ]  # fmt: skip


def test_more_masks_than_meetings_are_refused() -> None:
    masks = [f"{(1 << i + 1) - 1}" for i in range(isa.MEETINGS)]
    assert len(numbers(masks[:-1])) == isa.MEETINGS - 1
    with pytest.raises(codegen.CompileError, match=r"k.*:\d+:\d+: more than 8 different masks"):
        codegen.compile_source(kernel([*masks, "0xffffffff"]), name="k.cu")
