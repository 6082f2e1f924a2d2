"""docs/kernels.md: what the prebuilt kernels are, from the catalogue, and what an example costs.

Written by `python -m codegen.build_kernels`; a test compares everything but the seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import vgpu
from codegen.catalog import Kernel, catalog
from codegen.composition import Nested, evaluate, launcher

PATH: Final = Path(__file__).parents[1] / "docs" / "kernels.md"
_HEAD: Final = """\
# The prebuilt kernels

Made by `python -m codegen.build_kernels` from `codegen/kernels/catalog.yaml`; do not edit.

Numbers are whole, signed, and have 64 bits, arguments and results alike. A kernel says in a status
word when there is no figure: the result does not fit 64 bits, it is undefined, or an argument is
beyond what the kernel takes. It never wraps. Kernels choose their way on the machine: numbers that
fit 32 bits take the shorter one.

**Calls in calls.** `codegen.composition` runs `sub(mul(a, b), c)`: a launch for each call, the
inner ones first. What a launch gave is read out of the network and written into the next launch's
memory unchanged, as a list of 64-bit numbers: that is translation, no arithmetic is done outside
the network. (Keeping both launches in one memory would save the read and write words, a few per
number, and would need programs that know where others leave their results.) When an inner call has
no result, the outer ones do not run, and the problem names the inner call.

**Digits.** Conversions take and give lists of digits, highest first; only their characters are
written and read outside the network. `count` gets a mark for each element, and the machine counts
the marks.

**Where they stop.** Memory is 16 KiB, so a list has at most some 1,600 numbers (half of that where
a second list is needed, as for the result of sort).

Passes are those of the example, on every engine the same; seconds are one measurement on the sparse
engine, on two shared cores, and only give an idea.

| kernel | computes | no result when | threads | example | result | passes | seconds |
|---|---|---|---|---|---|---|---|
"""


def table(machine: vgpu.Machine) -> str:
    """The whole page; runs every example on the machine."""
    rows = (f"| {' | '.join(row)} |" for row in map(lambda k: _row(k, machine), _kernels()))
    return _HEAD + "\n".join(rows) + "\n"


def without_seconds(page: str) -> list[str]:
    """The lines of the page, those of the table without their last column."""
    return [line.rsplit("|", 2)[0] if line.startswith("| ") else line for line in page.splitlines()]


def _kernels() -> Iterator[Kernel]:
    yield from catalog().values()


def _row(kernel: Kernel, machine: vgpu.Machine) -> list[str]:
    call = Nested(kernel.name, kernel.example)
    outcome = evaluate(call, launcher(machine))
    run = outcome.steps[-1].run
    if outcome.result is None or run is None:
        return [kernel.name, kernel.doc, "", "", f"`{call}`", str(outcome.problem), "", ""]
    threads = run.block[0] * run.block[1]
    result = kernel.write(outcome.result).replace("|", "\\|")
    shown = result if len(result) <= 40 else f"{result[:36]}..."
    return [
        f"`{kernel.signature}`", kernel.doc, _refusals(kernel), str(threads), f"`{call}`", shown,
        str(run.passes), f"{run.seconds:.3f}",
    ]  # fmt: skip


def _refusals(kernel: Kernel) -> str:
    """The reasons that the catalogue gives, but that of 64 bits, which all kernels share."""
    parts = []
    if kernel.undefined != Kernel.undefined:
        parts.append(kernel.undefined)
    if kernel.limits != Kernel.limits:
        parts.append(f"beyond: {kernel.limits}")
    return "; ".join(parts)
