"""The example kernels of `prompts/library` against their checks: `python -m evals.library [NAME]`.

Every kernel is launched as a language model's would be: one block of 32 threads, `out` zeroed.
The expected outputs were worked out apart from the kernels.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import codegen
import prompts
import vgpu
from assistant.advanced.library import Check, Entry, library
from vgpu.errors import InputError, VgpuError
from vgpu.program import Program

FOLDER: Final = Path(prompts.__file__).parent / "library"
BLOCK: Final = 32
MAX_PASSES: Final = 400_000
_TOGETHER: Final = 20
_ENTRY: Final = ".visible .entry "
_LOCATION: Final = re.compile(r"^\s*\.loc\s.*\n", re.MULTILINE)


def compiled(example: Entry) -> Program:
    """The program of an example. Raises CompileError."""
    return codegen.compile_source(example.source, name=f"{example.name}.cu")


def compiled_together(chosen: Sequence[Entry]) -> dict[str, Program]:
    """The programs of examples by name, quicker than one at a time: clang and LLVM see many in
    a file. Parameters are known by position alone. Raises CompileError."""
    programs = {}
    for at in range(0, len(chosen), _TOGETHER):
        for program in _programs(chosen[at : at + _TOGETHER]):
            programs[program.kernel] = program
    return programs


def _programs(chosen: Sequence[Entry]) -> Iterator[Program]:
    from codegen import clang

    ptx = clang.compile_to_ptx("\n".join(example.source for example in chosen), "library.cu")
    head, *entries = _LOCATION.sub("", ptx).split(_ENTRY)
    for entry in entries:
        body, end, _ = entry.partition("\n}\n")
        yield codegen.ptx_to_program(head + _ENTRY + body + end, name="library.ptx")


def outcome(machine: vgpu.Machine, program: Program, check: Check) -> list[int]:
    """What the kernel leaves in `out`. Raises RunError."""
    inputs = {str(at): value for at, value in enumerate(check.inputs.values(), start=1)}
    out = str(len(inputs) + 1)
    run = machine.run(program, inputs, {out: len(check.out)}, block=BLOCK, max_passes=MAX_PASSES)
    (values,) = run.outputs.values()
    return values


def failures(machine: vgpu.Machine, example: Entry, program: Program) -> list[str]:
    """A line for each check of the example that does not hold."""
    found = []
    for number, check in enumerate(example.checks, start=1):
        try:
            got = outcome(machine, program, check)
        except VgpuError as error:
            found.append(f"{example.name}, check {number}: {error}")
            continue
        if got != list(check.out):
            found.append(f"{example.name}, check {number}: expected {list(check.out)}, got {got}")
    return found


def main(names: Sequence[str]) -> int:
    """Checks the examples called `names`, or all. Returns the exit status."""
    known = {example.name: example for example in library()}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"{unknown[0]}: no such kernel in {FOLDER}")
    chosen = [known[name] for name in names] or list(known.values())
    started, machine, wrong = time.perf_counter(), vgpu.Machine(), 0
    checks: Any = sum(len(example.checks) for example in chosen)
    with ThreadPoolExecutor(2) as pool:
        for example, program in zip(chosen, pool.map(compiled, chosen), strict=True):
            for line in failures(machine, example, program):
                wrong += 1
                print(line)
    print(
        f"{len(chosen)} kernels, {checks} checks, {wrong} wrong "
        f"({time.perf_counter() - started:.1f} s)"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except VgpuError as problem:
        sys.exit(str(problem))
