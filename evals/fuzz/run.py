"""Random kernels through both compilers: the machine's outputs against the CPU's."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import codegen
import vgpu
from codegen.clang import compile_to_ptx
from evals.fuzz import features, kernel, pool
from evals.fuzz.functions import PREAMBLE
from evals.oracle import cpu
from evals.oracle.compare import difference
from vgpu.errors import BudgetError, InputError
from vgpu.verify import Report, arguments
from vgpu.verify_report import Progress

BATCH: Final = 25  # kernels that the C++ compiler takes at once
MOST_PASSES: Final = 20_000
_TOO_LARGE: Final = "the machine holds"
Outputs = Mapping[str, list[int]]


class TooLarge(Exception):
    """The kernel is well formed, but more than the machine holds, or too long a run."""


@dataclass
class Outcome:
    """What became of one kernel. `reason` says what was wrong, None where nothing was.

    `kind` is "differs", "refused" (by the compiler), "fault" (of the machine) or "oracle".
    """

    kernel: kernel.Kernel
    kind: str = ""
    reason: str | None = None
    counts: Counter[str] = field(default_factory=Counter)
    expect: Outputs | None = None


@cache
def _machine(engine: str) -> vgpu.Machine:
    return vgpu.Machine(engine)


def source(one: kernel.Kernel) -> str:
    """The whole .cu file of a kernel."""
    return PREAMBLE + one.source()


def on_machine(one: kernel.Kernel, engine: str) -> tuple[Outputs, Counter[str]]:
    """Outputs and counts (words, passes, instructions). Raises TooLarge, VgpuError."""
    name = f"{one.name}.cu"
    inputs, outputs = arguments(one.case)
    names = {arg["name"]: str(i) for i, arg in enumerate(one.case["args"], 1)}
    try:
        program = codegen.ptx_to_program(compile_to_ptx(source(one), name), one.name, name)
        run = _machine(engine).run(
            program,
            {names[k]: v for k, v in inputs.items()},
            {names[k]: v for k, v in outputs.items()},
            grid=one.case["grid"], block=one.case["block"], shared=one.case["shared_bytes"],
            max_passes=MOST_PASSES,
        )  # fmt: skip
    except BudgetError as error:
        raise TooLarge(str(error)) from None
    except InputError as error:
        if _TOO_LARGE in str(error):
            raise TooLarge(str(error)) from None
        raise
    counts = Counter({n: getattr(run, n) for n in ("words", "passes", "instructions")})
    values = dict(zip(names, _by_position(run.outputs, program, len(names)), strict=True))
    return {name: values[name] for name in one.case["expect"]}, counts


def _by_position(
    outputs: Mapping[str, list[int]], program: vgpu.Program, count: int
) -> Iterator[list[int]]:
    """The outputs in the order of the parameters; those that are none are empty."""
    for param in program.params[:count]:
        yield outputs.get(param.name, [])


def check(one: kernel.Kernel, engine: str, expect: Outputs) -> Outcome:
    """The kernel on the machine against what is expected. Raises TooLarge."""
    try:
        got, counts = on_machine(one, engine)
    except vgpu.InputError as error:
        return Outcome(one, "refused", str(error), expect=expect)
    except vgpu.VgpuError as error:
        return Outcome(one, "fault", str(error), expect=expect)
    reason = difference(got, expect)
    return Outcome(one, "differs" if reason else "", reason, counts, expect)


def on_cpu(
    kernels: Sequence[kernel.Kernel], flags: Sequence[str] = ()
) -> list[Outputs | cpu.OracleError]:
    """Outputs of each kernel by the oracle; one compilation, with `flags`, for all of them."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        text = PREAMBLE + "\n".join(one.source() for one in kernels)
        try:
            names = [k.name for k in kernels]
            binary = cpu.compile_kernels(text, names, "fuzz.cu", Path(folder), flags)
        except cpu.OracleError as error:
            if len(kernels) == 1:
                return [error]
            return [made for one in kernels for made in on_cpu([one], flags)]
        return [_launch(binary, one) for one in kernels]


def _launch(binary: Path, one: kernel.Kernel) -> Outputs | cpu.OracleError:
    try:
        return cpu.launch(binary, one.case)
    except cpu.OracleError as error:
        return error


def batch(seed: int, numbers: Sequence[int], engine: str) -> list[Outcome]:
    """The kernels of these numbers. One that is too large is written again, with less in it."""
    kernels = [kernel.write(seed, number) for number in numbers]
    found = []
    for number, one, expect in zip(numbers, kernels, on_cpu(kernels), strict=True):
        for size in (4, 2, 1, 0):
            if isinstance(expect, cpu.OracleError):
                found.append(Outcome(one, "oracle", str(expect)))
                break
            try:
                found.append(check(one, engine, expect))
                break
            except TooLarge:
                one = kernel.write(seed, number, size)
                (expect,) = on_cpu([one])
        else:
            found.append(Outcome(one, "refused", "too large for the machine, even when empty"))
    return found


def run(
    count: int, seed: int, engine: str = "sparse", progress: Progress | None = None, jobs: int = 0
) -> tuple[Report, list[Outcome], Counter[str]]:
    """Kernels 0 to `count` of a seed: what was found, what failed, what was drawn.

    `jobs` processes (as many as there are processors) share the work. From COMPLETE_FROM kernels
    on, a feature that was never drawn is a failure of its own, called "coverage".
    """
    report, started = Report(), time.perf_counter()
    failed: list[Outcome] = []
    drawn: Counter[str] = Counter()
    found = _outcomes(count, seed, engine, jobs or os.cpu_count() or 1)
    with contextlib.closing(found) as outcomes:
        for done, outcome in enumerate(outcomes, 1):
            report.add(outcome.kernel.name, outcome.reason)
            drawn += outcome.kernel.drawn
            for name, value in outcome.counts.items():
                report.counts[name] += value
            if outcome.reason is not None:
                failed.append(outcome)
            if progress is not None:
                progress(done, count, outcome.kernel.name)
    if count >= features.COMPLETE_FROM and (never := features.missing(drawn)):
        report.add("coverage", f"never drawn: {', '.join(never)}")
    report.counts["features"] = len(features.ALL & set(drawn))
    report.counts["seconds"] = time.perf_counter() - started
    return report, failed, drawn


def _outcomes(count: int, seed: int, engine: str, jobs: int) -> Generator[Outcome, None, None]:
    batches = [range(at, min(at + BATCH, count)) for at in range(0, count, BATCH)]
    if jobs == 1 or len(batches) == 1:
        for numbers in batches:
            yield from batch(seed, numbers, engine)
        return
    calls = [(seed, numbers, engine) for numbers in batches]
    with contextlib.closing(pool.results(batch, calls, min(jobs, len(batches)))) as results:
        for found in results:
            yield from found


def save(outcome: Outcome, folder: Path) -> Path:
    """Writes NAME.cu and NAME.json, a case with the oracle's outputs. Returns the .cu file."""
    folder.mkdir(parents=True, exist_ok=True)
    one = outcome.kernel
    path = folder / f"{one.name}.cu"
    path.write_text(source(one), encoding="utf-8")
    case: dict[str, Any] = {**one.case, "expect": dict(outcome.expect or {})}
    path.with_suffix(".json").write_text(json.dumps([case]) + "\n", encoding="utf-8")
    return path
