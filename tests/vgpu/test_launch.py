"""What a launch refuses, in one line, before anything is allocated or run."""

from __future__ import annotations

import json

import numpy as np
import pytest

from vgpu import Array, FaultError, InputError, Machine, Param, Program, asm
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
        (None, {}, {}, {}, "program: expected a Program, got nothing"),
        (OUT, None, {}, {}, "inputs: expected names with values"),
        (OUT, {1: [1]}, {}, {}, "input 1: expected a name"),
        (OUT, {"out": "abc"}, {}, {}, "out: expected a list of whole numbers, got str"),
        (OUT, {"out": {1, 2}}, {}, {}, "out: expected a list of whole numbers, got set"),
        (OUT, {"out": [1.5]}, {}, {}, r"out\[0\]: expected a whole number, got 1.5"),
        (OUT, {"out": np.array([1.5])}, {}, {}, r"out\[0\]: expected a whole number"),
        (OUT, {"out": np.array([[1]])}, {}, {}, "out: expected one dimension, got 2"),
        (OUT, {"out": Array("i32", None)}, {}, {}, "got nothing"),
        (OUT, {}, {"out": 1.5}, {}, "output out: expected a whole number, got 1.5"),
        (OUT, {}, {"out": ("u8", 3, 4)}, {}, r"expected a count or \(type, count\)"),
        (OUT, {}, {"out": 1}, {"block": "3"}, "block: expected a whole number, got '3'"),
        (OUT, {}, {"out": 1}, {"block": (3.0, 1)}, r"block\[0\]: expected a whole number"),
        (OUT, {}, {"out": 1}, {"grid": None}, "grid: expected a whole number"),
        (OUT, {}, {"out": 1}, {"shared": 8.0}, "shared: expected a whole number"),
        (OUT, {}, {"out": 1}, {"max_passes": "9"}, "max_passes: expected a whole number"),
        (OUT, {}, {"out": 1}, {"max_passes": 0}, "max_passes: expected at least 1"),
        (OUT, {}, {"out": 1}, {"trace": 5}, "trace: expected a path"),
        (OUT, {}, {"out": 1}, {"progress": 5}, "progress: expected a function"),
    ],
)
def test_a_wrong_launch_is_one_line(machine, program, inputs, outputs, options, complaint) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=complaint) as caught:
        machine.run(program, inputs, outputs, **options)
    assert "\n" not in str(caught.value)


def test_a_structure_by_value_and_a_longer_array(machine: Machine) -> None:
    run = machine.run(PLAIN, {"s": FIELDS, "out": [1, 2]}, {"out": 4})
    assert run.outputs == {"out": [7, 2, 0, 0]}


def test_numbers_of_numpy_are_numbers(machine: Machine) -> None:
    three, four = np.int64(3), np.uint8(4)
    given = {"s": Array("i32", np.arange(5)), "out": np.array([1, 2], np.uint16)}
    run = machine.run(PLAIN, given, {"out": four}, block=three, grid=np.array([1, 1]))
    assert run.outputs == {"out": [7, 2, 0, 0]}
    assert run.block == (3, 1, 1)
    with pytest.raises(InputError, match="engine: expected a name or an engine, got None"):
        Machine(None)  # type: ignore[arg-type]


def test_a_fault_names_the_block_when_there_are_several(machine: Machine) -> None:
    code = tuple(asm.assemble("s2r r1, %ctaid.x\nst.b32 [r1], r1\nexit"))
    with pytest.raises(FaultError, match=r": block \(0,0,0\), lane 0, pc 1"):
        machine.run(Program("k", code), {}, grid=2)


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((n, v) for n in ("stats", "params", "source", "code") for v in (None, "x", -1, 10**30)),
        *(
            (n, v)
            for n in ("data_base", "local_bytes", "shared_base", "shared_bytes", "room_word")
            for v in (None, "x", [], -4, 1.5, 10**30)
        ),
        *(("code", [word]) for word in (-1, "-1", "f" * 17, "0x1", "1_0", None)),
        ("data", "zz"), ("data", "f"), ("data", "ff" * 99), ("kernel", ""), ("kernel", None),
        ("stats", {"folded": "yes"}), ("source", [{"a": 1}]), ("zzz", 1),
        *(("params", [{"name": "a", "offset": 0, "pointer": True, "size": n}]) for n in (0, 3)),
        ("params", [{"name": "a", "offset": -8, "pointer": False, "size": 4}]),
        ("params", [{"name": "a", "offset": 0, "pointer": False, "size": 4}] * 2),
    ],
)  # fmt: skip
def test_a_program_edited_to_nonsense_is_refused_by_field(name: str, value: object) -> None:
    record = json.loads(OUT.to_json()) | {name: value}
    with pytest.raises(
        ValueError, match=rf"^{'data_base' if value == 'ff' * 99 else name}"
    ) as told:
        Program.from_json(json.dumps(record))
    assert "\n" not in str(told.value) and "object" not in str(told.value)
