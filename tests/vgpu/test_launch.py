"""What a launch refuses, in one line, before anything is allocated or run."""

from __future__ import annotations

import pytest

from vgpu import Array, InputError, Machine, Param, Program, asm
from vgpu.launch import blocks

CODE = tuple(asm.assemble("ld.b32 r1, [16]\nmov r2, 7\nst.b32 [r1], r2\nexit"))
PLAIN = Program("k", CODE, (Param("out", 0, 4, True), Param("s", 4, 20, False)))
OUT = Program("k", CODE, (Param("out", 0, 4, True),))
FIELDS = Array("i32", [1, 2, 3, 4, 5])


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine("interpreter")


@pytest.mark.parametrize(
    ("program", "inputs", "outputs", "options", "complaint"),
    [
        (OUT, {}, {"out": 999_999_999_999}, {}, "more than the machine's 16,384 bytes"),
        (OUT, {"out": [1]}, {"out": 10**12}, {}, "more than the machine's 16,384 bytes"),
        (OUT, {}, {"out": 0}, {}, "at least 1"),
        (OUT, {}, {}, {"shared": 99_999_999_999}, "use less in shared memory"),
        (OUT, {}, {}, {"grid": 99_999_999_999}, r"2\*\*31 - 1"),
        (OUT, {}, {}, {"grid": (1, 0)}, "grid: expected"),
        (OUT, {}, {}, {"block": 129}, "at most 128"),
        (PLAIN, {"s": 3}, {}, {}, "structure of 20 bytes"),
        (PLAIN, {"s": Array("i32", [1, 2])}, {}, {}, "20 bytes by value"),
        (OUT, {"outt": [1]}, {}, {}, "did you mean out"),
        (OUT, {"out": [2**31]}, {}, {}, "does not fit i32"),
        (OUT, {"out": Array("i31", [1])}, {}, {}, "unknown type 'i31'"),
    ],
)
def test_a_wrong_launch_is_one_line(machine, program, inputs, outputs, options, complaint) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=complaint) as caught:
        machine.run(program, inputs, outputs, **options)
    assert "\n" not in str(caught.value)


def test_a_structure_by_value_and_a_longer_array(machine: Machine) -> None:
    run = machine.run(PLAIN, {"s": FIELDS, "out": [1, 2]}, {"out": 4})
    assert run.outputs == {"out": [7, 2, 0, 0]}


def test_blocks_come_x_fastest_and_a_huge_grid_is_not_listed() -> None:
    assert list(blocks((2, 2, 1))) == [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
    assert next(iter(blocks((2**31 - 1, 2**31 - 1, 1)))) == (0, 0, 0)


@pytest.mark.parametrize("text", ["[" * 100_000, "{}", "[]", '{"format": 1}', "nonsense", ""])
def test_what_is_no_program_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a vgpu-program"):
        Program.from_json(text)


def test_a_program_of_another_instruction_set_is_refused() -> None:
    text = OUT.to_json()
    assert Program.from_json(text) == OUT
    at = text.index('"isa": "') + 8
    with pytest.raises(ValueError, match="another version of the instruction set"):
        Program.from_json(text[:at] + "0" * 12 + text[at + 12 :])
