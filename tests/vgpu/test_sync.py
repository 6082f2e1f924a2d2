"""What lanes know of each other: barriers, shuffles, votes, holds. Every engine, word for word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vgpu import Machine, Param, Program, asm
from vgpu.errors import BudgetError

OUT = Param("out", 0, 4, True)
SHUFFLE = """
        s2r r0, %laneid
        s2r r1, %tid.x
        mul r2, r1, 10
        mov r3, -1
        add r4, r0, 1
        shfl r5, r2, r4, r3
        ld.b32 r6, [16]
        shl r7, r1, 2
        add r6, r6, r7
        st.b32 [r6], r5
        exit
"""
VOTE = """
        s2r r1, %tid.x
        and r2, r1, 1
        setp.ne p0, r2, 0
        mov r3, {even}
   @p0  mov r3, {odd}
        mul r4, r1, r1
        and r4, r4, 4
        setp.eq p1, r4, 0
   @p0  bra apart
        vote r5, r3, p1
        bra join
apart:  add r9, r9, 1
        add r9, r9, 1
        vote r5, r3, !p1
join:   ld.b32 r6, [16]
        shl r7, r1, 2
        add r6, r6, r7
        st.b32 [r6], r5
        exit
"""
COUNT = """
        ld.b32 r6, [16]
        s2r r1, %tid.x
        mov r2, 3
again:  ld.lock r5, [r6]
        add r5, r5, 1
        st.unlock [r6], r5
        sub r2, r2, 1
        setp.ne p0, r2, 0
   @p0  bra again
        exit
"""
ROUNDS = """
        s2r r1, %tid.x
        mov r2, 0
        mov r4, 0
loop:   shl r7, r1, 2
        add r3, r1, r2
        st.b32 [r7+1024], r3
        bar
        setp.eq p1, r1, 0
   @p1  bra skip
        ld.b32 r5, [r7+1020]
        add r4, r4, r5
skip:   bar
        add r2, r2, 1
        setp.lt.u p0, r2, 5
   @p0  bra loop
        ld.b32 r6, [16]
        add r6, r6, r7
        st.b32 [r6], r4
        exit
"""


def program(text: str) -> Program:
    return Program("test", tuple(asm.assemble(text)), (OUT,), 20, b"", 32)


def run(engine: str, text: str, count: int, block: int, path: Path) -> list[int]:
    """The output; the words of all passes go to `path`."""
    machine = Machine(engine)
    result = machine.run(program(text), {}, {"out": ("u32", count)}, block=block, trace=path)
    return result.outputs["out"]


def traces_equal(paths: list[Path]) -> bool:
    lines = [[json.loads(line) for line in path.read_text().splitlines()[1:]] for path in paths]
    return all(other == lines[0] for other in lines[1:])


def check(tmp_path: Path, text: str, block: int, want: list[int], dense: bool = False) -> None:
    engines = ["interpreter", "sparse"] + (["dense"] if dense else [])
    paths = [tmp_path / f"{engine}.jsonl" for engine in engines]
    for engine, path in zip(engines, paths, strict=True):
        assert run(engine, text, len(want), block, path) == want, engine
    assert traces_equal(paths)


@pytest.mark.parametrize("block", [4, 32, 50, 128])
def test_a_shuffle_brings_the_neighbours_value(block: int, tmp_path: Path) -> None:
    want = []
    for t in range(block):
        source = t // 32 * 32 + (t % 32 + 1) % 32
        want.append(source * 10 if source < block else 0)
    check(tmp_path, SHUFFLE, block, want, dense=block == 4)


@pytest.mark.parametrize("block", [5, 32, 70])
def test_votes_of_two_diverged_groups(block: int, tmp_path: Path) -> None:
    """Even lanes vote p, odd lanes !p, at different places of the program."""
    want = []
    for t in range(block):
        warp = [u for u in range(t // 32 * 32, t // 32 * 32 + 32) if u < block]
        group = [u for u in warp if u % 2 == t % 2]
        holds = {u: (u * u & 4 == 0) != (u % 2 == 1) for u in group}
        want.append(sum(holds[u] << u % 32 for u in group))
    text = VOTE.format(even=0x55555555, odd=0xAAAAAAAA)
    check(tmp_path, text, block, want, dense=block == 5)


@pytest.mark.parametrize("block", [1, 3, 32, 128])
def test_a_hold_makes_a_counter_exact(block: int, tmp_path: Path) -> None:
    check(tmp_path, COUNT, block, [3 * block], dense=block == 3)


@pytest.mark.parametrize("block", [1, 2, 33, 128])
def test_barriers_in_a_loop_with_diverging_lanes(block: int, tmp_path: Path) -> None:
    """Five rounds: each lane adds what the lane before it has just stored."""
    want = [0] + [sum(t - 1 + k for k in range(5)) for t in range(1, block)]
    check(tmp_path, ROUNDS, block, want, dense=block == 2)


@pytest.mark.parametrize("block", [2, 32, 128])
def test_a_barrier_costs_a_pass_more_than_an_instruction(block: int) -> None:
    """Lanes in step arrive in one pass and go on in the next."""
    plain = Machine().run(program("add r1, r1, 1\nexit"), {}, block=block)
    barrier = Machine().run(program("bar\nexit"), {}, block=block)
    assert barrier.passes == plain.passes + 1


def test_a_lane_that_never_comes_is_waited_for() -> None:
    text = "s2r r0, %tid.x\nsetp.eq p0, r0, 0\n@p0 bra 4\nbar\nbra 4"
    with pytest.raises(BudgetError, match="waiting at a barrier"):
        Machine().run(program(text), {}, block=2, max_passes=100)


def test_lanes_that_have_exited_are_not_waited_for() -> None:
    text = "s2r r0, %tid.x\nsetp.ne p0, r0, 0\n@p0 exit\nmov r3, -1\nbar\nbar.warp r3\nexit"
    assert Machine().run(program(text), {}, block=32).passes < 20


MEETINGS_APART = """
        s2r r0, %tid.x
        mov r1, -1
        mov r2, {part}
        shr r3, r2, r0
        and r3, r3, 1
        setp.ne p0, r3, 0
        plop p1, p0, p0, 15
        mov r4, r0
  @!p0  bra join
        shfl r4, r0, r0, r2, {number}
        vote r4, r2, p1, {number}
        bar.warp r2, {number}
join:   vote r3, r1, p1
        ld.b32 r6, [16]
        shl r7, r0, 2
        add r6, r6, r7
        st.b32 [r6], r3
        exit
"""


@pytest.mark.parametrize("engine", ["interpreter", "sparse"])
@pytest.mark.parametrize("number", [1, 5, 7])
@pytest.mark.parametrize("part", [0x0000FFFF, 0xFFFF0000, 0x55555555, 0x1, 0x80000001, 0x7FFFFFFE])
def test_lanes_at_a_meeting_of_their_own_have_not_come_to_that_of_all(
    part: int, number: int, engine: str
) -> None:
    text = MEETINGS_APART.format(part=part, number=number)
    out = Param("out", 0, 4, True, "u32")
    program = Program("k", tuple(asm.assemble(text)), (out,), 20, b"", 32)
    run = Machine(engine).run(program, {}, {"out": 32}, block=32, max_passes=200)
    assert run.outputs["out"] == [0xFFFFFFFF] * 32
