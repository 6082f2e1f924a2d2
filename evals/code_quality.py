"""How good the compiler's code is, over the kernels of a folder of cases.

    python -m evals.code_quality CASES [--most N]

prints a table: for each kernel the machine instructions executed for each PTX instruction (see
`codegen.stats`) over its cases, then the medians. Kernels that call the device library, to divide
mostly, are listed apart.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from typing import Any

import codegen
from codegen.stats import Executed, Launch, executed, marked
from vgpu.errors import VgpuError
from vgpu.program import Program
from vgpu.runtime import Machine, Run
from vgpu.verify_cases import CASE_PASSES, arguments


def launch_of(case: dict[str, Any]) -> Launch:
    inputs, outputs = arguments(case)

    def launch(machine: Machine, program: Program) -> Run:
        return machine.run(
            program, inputs, outputs, grid=case["grid"], block=case["block"],
            shared=case["shared_bytes"], max_passes=CASE_PASSES,
        )  # fmt: skip

    return launch


def measure(path: Path) -> tuple[list[Executed], dict[str, int]]:
    """Counts of the cases in one file, and the figures of the program."""
    cases = json.loads(path.read_text(encoding="utf-8"))
    source = path.parent / cases[0]["file"]
    program = codegen.compile_file(source, cases[0]["kernel"])
    ptx = (
        codegen.cuda_to_ptx(source)
        if source.suffix == ".cu"
        else source.read_text(encoding="utf-8")
    )
    counting = marked(ptx, program)
    return [executed(program, counting, launch_of(case)) for case in cases], program.stats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("cases", type=Path)
    parser.add_argument("--most", type=int, default=0, help="kernels to look at (0: all)")
    options = parser.parse_args()
    plain: list[float] = []
    divides: list[float] = []
    for path in sorted(options.cases.glob("*.json"))[: options.most or None]:
        try:
            counts, stats = measure(path)
        except VgpuError as error:
            print(f"{path.stem:<24} {error}", flush=True)
            continue
        ratio = median(c.ratio for c in counts)
        library = any(c.library for c in counts)
        (divides if library else plain).append(ratio)
        print(
            f"{path.stem:<24} {ratio:5.2f} {stats['instructions']:>5} instructions "
            f"{stats['registers']:>3} registers {stats['spills']:>2} spills"
            + (" (divides)" if library else ""),
            flush=True,
        )
    for name, ratios in (("all", plain + divides), ("no library", plain), ("library", divides)):
        if ratios:
            over = sum(r > 1.25 for r in ratios)
            print(f"{name}: {len(ratios)} kernels, median {median(ratios):.2f}, over 1.25: {over}")


if __name__ == "__main__":
    main()
