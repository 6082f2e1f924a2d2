"""docs/kernels.md says what the catalogue says, and what the examples take on the machine."""

from __future__ import annotations

from codegen import kernel_table, writing
from codegen.catalog import catalog
from tests.codegen.kernel_checks import network


def test_the_page_is_current() -> None:
    page = kernel_table.PATH.read_text(encoding="utf-8")
    now = kernel_table.table(network())
    said = "make it again: python -m codegen.build_kernels"
    assert kernel_table.without_seconds(page) == kernel_table.without_seconds(now), said


def test_every_kernel_has_a_line() -> None:
    page = kernel_table.PATH.read_text(encoding="utf-8")
    for kernel in catalog().values():
        assert f"| `{kernel.signature}` | {kernel.doc} |" in page


def test_results_are_written_as_people_write_them() -> None:
    assert writing.write("hex", [15, 0, 10]) == "0xf0a"
    assert writing.write("bin", [1, 0, 1]) == "0b101"
    assert writing.write("digits", [35, 3]) == "z3"
    assert writing.write("time", [25, 4, 0]) == "25:04:00"
    assert writing.write("time", [-1, -30, 0]) == "-1:30:00"
    assert writing.write("time", [0, 0, -9]) == "-0:00:09"
    assert writing.write("", [3, 1]) == "[3, 1]"
    assert writing.write("", 5) == "5"


def test_digits_are_read_as_people_write_them() -> None:
    assert writing.read_digits("0xFf", "d", "0x") == [15, 15]
    assert writing.read_digits("1010_1010", "d", "0b") == [1, 0] * 4
    assert writing.read_digits("0b1", "d", "0x") == [0, 11, 1]
    assert writing.read_digits("", "d") == []
