"""Without a block's weights, exactly the instructions that use it go wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from vgpu import isa
from vgpu.ablation import blocks, failing, fails, memories, without, without_memory
from vgpu.network import network_for

PAGE = Path(__file__).parents[2] / "docs" / "ablation.md"
STALE = "docs/ablation.md is stale: run python -m vgpu.ablation"
SHIFTS = {"shl", "shr", "sar", "shf.l.wrap", "shf.r.wrap", "shf.l.clamp", "shf.r.clamp"}
ADDS = {"add", "sub", "add.co", "sub.co", "addc", "subc"}
COMPARES = {name for name, op in isa.OPS.items() if "compare" in op.lines}
EXPECTED = {
    "logic": {"and", "or", "xor", "not"},
    "multiplier": {"mul", "mad", "mulhi.u", "mulhi.s"},
    "shifter": SHIFTS,
    "adder": ADDS | COMPARES,
    "bits": {"clz", "popc", "brev", "prmt"},
    "sync": {"bar", "bar.warp", "shfl", "vote"},
}
MEMORIES = {"claims": {"ld.lock"}, "exchange": {"shfl"}}


def column(name: str) -> set[str]:
    """The instructions marked in one column of the page."""
    marked, at = set(), 0
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "instruction":
            at = cells.index(name) if name in cells else 0
        elif at and cells[0].startswith("`") and cells[at] == "x":
            marked.add(cells[0].strip("`"))
    return marked


def test_the_whole_network_is_right() -> None:
    assert not any(fails(op, network_for()) for op in isa.OPS)


@pytest.mark.parametrize("block", ["logic", "multiplier", "shifter"])
def test_exactly_the_instructions_of_a_block_fail_without_it(block: str) -> None:
    assert failing(without(block)) == EXPECTED[block]


@pytest.mark.parametrize("memory", MEMORIES)
def test_exactly_the_instructions_of_a_memory_fail_without_it(memory: str) -> None:
    assert failing(without_memory(memory)) == MEMORIES[memory]


def test_the_page_has_every_instruction_block_and_memory() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in (*blocks(), *memories()):
        assert f"| {name} " in text, (
            f"docs/ablation.md is stale: run python -m vgpu.ablation ({name})"
        )
    for op in isa.OPS:
        assert text.count(f"| `{op}` ") == 2, (
            "docs/ablation.md is stale: run python -m vgpu.ablation"
        )


@pytest.mark.parametrize("name", [*EXPECTED, *MEMORIES])
def test_the_page_says_so(name: str) -> None:
    assert column(name) == (EXPECTED | MEMORIES)[name]
