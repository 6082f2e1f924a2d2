"""Verification: engines against each other, word for word, and against known results.

`run_programs` gives random programs to several engines at once. They see the same words, and
every word that comes out must be the same in all of them: load tokens, each lane's word of
every pass, and the memory read back at the end. `run_cases` runs kernels whose results are
known; `run_replay` gives the words of a trace to an engine again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import numpy as np

from vgpu.engines import Engine
from vgpu.errors import FaultError, VgpuError
from vgpu.fuzz import RandomProgram, generate
from vgpu.runtime import Machine
from vgpu.verify_cases import arguments, run_cases
from vgpu.verify_replay import run_replay
from vgpu.verify_report import Progress, Report
from vgpu.verify_together import DifferError, Together

__all__ = [
    "DifferError",
    "Report",
    "Together",
    "arguments",
    "run_cases",
    "run_programs",
    "run_replay",
]

MAX_PASSES: Final = 3000  # of a random program; they take a few hundred at most


def run_programs(
    programs: int | Sequence[RandomProgram],
    seed: int,
    engines: Sequence[Engine],
    progress: Progress | None = None,
) -> Report:
    """Run random programs (`vgpu.fuzz`) on all engines and compare every word.

    The first engine is what the others are compared with. `counts` gives the words of all
    tokens, the passes of the step loop, the instructions, each once, not once an engine.
    Raises InputError for fewer than two engines.
    """
    together = Together(engines)
    if isinstance(programs, int):
        programs = generate(programs, seed, together.geometry)
    report, started = Report(), time.perf_counter()
    for done, program in enumerate(programs):
        if progress is not None:
            progress(done, len(programs), program.name)
        report.add(program.name, _run_program(program, together))
        for name in ("words", "passes", "instructions"):
            report.counts[name] += getattr(together, name)
    report.counts["seconds"] = time.perf_counter() - started
    return report


def _run_program(program: RandomProgram, together: Together) -> str | None:
    """What was wrong, or None."""
    fault = None
    try:
        Machine(together).run(program.program(), {}, block=program.threads, max_passes=MAX_PASSES)
    except FaultError as error:
        fault = str(error)
    except VgpuError as error:
        return str(error)
    try:
        _read_back(program, together)
        together.finish()
    except DifferError as error:
        return str(error)
    if (fault is None) != (program.fault is None):
        return f"expected {program.fault or 'no fault'}, got {fault or 'no fault'}"
    return None


def _read_back(program: RandomProgram, together: Together) -> None:
    """Read tokens for the memory that the program could store to."""
    size = max(len(program.data), 4)
    addresses = np.arange(program.base & ~3, program.base + size, 4)
    together.step(together.layout.pack(len(addresses), read=1, addr=addresses))
