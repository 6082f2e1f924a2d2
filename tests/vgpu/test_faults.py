"""Faults: raised by the network, told in one line; and what a run that ended badly leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cli import main
from vgpu import Machine, Param, Program, asm
from vgpu.errors import BudgetError, FaultError
from vgpu.program import Source

ENGINES = ["interpreter", "sparse"]
OUT = Param("out", 0, 4, True)
GOOD = "s2r r0, %tid.x\nld.b32 r1, [16]\nshl r2, r0, 2\nadd r1, r1, r2\nst.b32 [r1], r0\nexit"
FAULTS = {
    "outside": ("mov r1, 16384\nld.b32 r2, [r1]\nexit", "address outside memory: lane 0, pc 1"),
    "far outside": ("mov r1, -4\nst.b32 [r1], r0\nexit", "address outside memory: lane 0, pc 1"),
    "null": ("mov r1, 0\nst.b32 [r1], r0\nexit", "address outside memory: lane 0, pc 1"),
    "below 16": ("mov r1, 8\nld.s8 r2, [r1+7]\nexit", "address outside memory: lane 0, pc 1"),
    "misaligned": ("mov r1, 33\nld.u16 r2, [r1+2]\nexit", "misaligned address: lane 0, pc 1"),
    "trap": ("trap 7\nexit", "trap: lane 0, pc 0, trap 7"),
    "division": ("mov r1, 1\ntrap r1", "division by zero: lane 0, pc 1"),
    "branch": ("bra 5000", "address outside memory: lane 0, pc 0"),
    "lock": ("mov r1, 18\nld.lock r2, [r1]\nexit", "misaligned address: lane 0, pc 1"),
}


def program(text: str) -> Program:
    code = tuple(asm.assemble(text))
    lines = tuple(Source("k.cu", i + 10) for i in range(len(code)))
    return Program("k", code, (OUT,), 20, b"", 32, source=lines)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_lane_instruction_and_line(name: str, engine: str) -> None:
    text, want = FAULTS[name]
    with pytest.raises(FaultError) as raised:
        Machine(engine).run(program(text), {}, block=2)
    message = str(raised.value)
    assert message.startswith(want)
    assert f"(k.cu:{10 + int(want.split('pc ')[1].split(',')[0])})" in message
    assert "\n" not in message


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_and_last_bytes_of_memory(engine: str) -> None:
    """16 to 16,383 can be reached, whatever carries the address sum makes; nothing else."""
    machine = Machine(engine)
    for base, offset in ((0, 16), (15, 1), (32, -16), (16382, 1), (-1, 17), (-1, 16384)):
        text = f"mov r1, {base}\nst.b8 [r1{offset:+}], r0\nexit"
        assert machine.run(program(text), {}, block=1).passes == 3
    for base, offset in ((0, 15), (15, 0), (31, -16), (16383, 1), (-1, 16), (1 << 20, 4), (-16, 1)):
        text = f"mov r1, {base}\nst.b8 [r1{offset:+}], r0\nexit"
        with pytest.raises(FaultError, match="outside memory"):
            machine.run(program(text), {}, block=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_undefined_opcode(engine: str) -> None:
    code = (*asm.assemble("mov r1, 1"), 0x7F << 57)
    with pytest.raises(FaultError, match=r"^undefined opcode: lane 0, pc 1"):
        Machine(engine).run(Program("k", code), {}, block=1)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_lane_that_faults_is_the_one_named(engine: str) -> None:
    text = "s2r r0, %tid.x\nsetp.eq p0, r0, 3\n@p0 trap 1\nexit"
    with pytest.raises(FaultError, match="division by zero: lane 3, pc 2"):
        Machine(engine).run(program(text), {}, block=40)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_budget(engine: str) -> None:
    with pytest.raises(BudgetError, match=r"did not finish in 50 passes: lane 0, pc 0, bra 0"):
        Machine(engine).run(program("bra 0"), {}, block=2, max_passes=50)


CROSSED = """
        s2r r0, %tid.x
        mov r3, -1
        setp.lt.u p0, r0, 2
   @p0  bra apart
        bar.warp r3
        exit
apart:  bar
        exit
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_barrier_that_can_never_complete(engine: str) -> None:
    """Two lanes at the block's barrier, the others at the warp's: each waits for the other."""
    with pytest.raises(FaultError, match="a barrier that can never complete") as raised:
        Machine(engine).run(program(CROSSED), {}, block=5, max_passes=1000)
    assert "lanes 0-1 wait at pc 6, bar (k.cu:16)" in str(raised.value)
    assert "lanes 2-4 elsewhere, lane 2 at pc 4, bar.warp r3 (k.cu:14)" in str(raised.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_barriers_without_end_are_not_taken_for_one(engine: str) -> None:
    """Every lane waits in most passes, but each barrier completes."""
    with pytest.raises(BudgetError, match="did not finish"):
        Machine(engine).run(program("bar\nbra 0"), {}, block=5, max_passes=1500)
    long = "mov r1, 0\nbar\nadd r1, r1, 1\nsetp.lt.u p0, r1, 400\n@p0 bra 1\nexit"
    assert Machine(engine).run(program(long), {}, block=7).passes > 1600


@pytest.mark.parametrize("engine", ENGINES)
def test_a_machine_is_usable_after_a_fault_and_after_ctrl_c(engine: str) -> None:
    def interrupt(passes: int) -> None:
        raise KeyboardInterrupt

    machine = Machine(engine)
    want = machine.run(program(GOOD), {}, {"out": 4}, block=4)
    assert want.outputs["out"] == [0, 1, 2, 3]
    lock = "ld.lock r2, [32]\ntrap 1"
    for text in (lock, CROSSED, "bra 0"):
        with pytest.raises((FaultError, BudgetError)):
            machine.run(program(text), {}, block=4, max_passes=700)
        again = machine.run(program(GOOD), {}, {"out": 4}, block=4)
        assert (again.outputs, again.passes) == (want.outputs, want.passes)
    with pytest.raises(KeyboardInterrupt):
        machine.run(program("bra 0"), {}, block=4, progress=interrupt)
    assert machine.run(program(GOOD), {}, {"out": 4}, block=4).outputs == want.outputs


@pytest.mark.parametrize("name", ["division", "outside"])
def test_after_a_fault_no_output_is_printed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kernel had stored a result before; what is printed is one line on stderr."""
    text, want = FAULTS[name]
    stores = "ld.b32 r5, [16]\nst.b32 [r5], r5\n"
    path = tmp_path / "k.vgpu"
    program(stores + text).save(path)
    for arguments in ([], ["--json"]):
        assert main(["run", str(path), "--out", "out=1", *arguments]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert len(shown.err.splitlines()) == 1
        assert want.split(":")[0] in shown.err
