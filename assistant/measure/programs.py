"""The programs that are timed, and what they are given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import codegen
import vgpu
from vgpu import asm

SOURCE: Final = Path(__file__).with_name("programs.cu")
_LOOP: Final = """
mov r1, 0
loop: add r1, r1, 1
setp.lt.s p0, r1, {turns}
@p0 bra loop
exit
"""


@dataclass(frozen=True)
class Timed:
    kernel: str
    inputs: dict[str, Any]
    block: int | tuple[int, int] = 1
    result: int = 1  # elements of `out`


def _numbers(count: int) -> list[int]:
    """Numbers of two digits, with either sign."""
    return [(37 * i + 11) % 199 - 99 for i in range(count)]


TIMED: Final = {
    "dot3": Timed("dot", {"a": [1, 2, 3], "b": [4, 5, 6], "n": 3}, block=4),
    "dot64": Timed("dot", {"a": _numbers(64), "b": _numbers(128)[64:], "n": 64}, block=32),
    "matmul8": Timed(
        "matmul", {"a": _numbers(64), "b": _numbers(128)[64:], "n": 8}, block=(8, 8), result=64
    ),
    "horner7": Timed("horner", {"coefficients": _numbers(8), "degree": 7, "x": 3}),
    "collatz27": Timed("collatz", {"n": 27}),
    "sieve100": Timed("sieve", {"n": 100}, block=32),
}


def compiled() -> dict[str, vgpu.Program]:
    """Kernel name → program."""
    names = dict.fromkeys(timed.kernel for timed in TIMED.values())
    return {name: codegen.compile_file(SOURCE, name) for name in names}


def launch(machine: vgpu.Machine, program: vgpu.Program, timed: Timed) -> vgpu.Run:
    return machine.run(program, timed.inputs, {"out": timed.result}, block=timed.block)


def counting(turns: int) -> vgpu.Program:
    """A loop of three instructions, for the speed of passes."""
    return vgpu.Program("loop", tuple(asm.assemble(_LOOP.format(turns=turns))))
