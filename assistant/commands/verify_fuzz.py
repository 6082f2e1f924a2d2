"""`assistant verify --fuzz-cuda N`: random CUDA kernels, the machine against a C++ compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.console import Progress, note
from vgpu.errors import InputError

FOLDER = "fuzz-found"


def fuzz(count: int, seed: int, engine: str, small: bool) -> Any:
    """The report. Failing kernels are written to FOLDER in the working folder; `small`: each is
    made small first."""
    if count < 1:
        raise InputError(f"--fuzz-cuda {count}: expected at least 1")
    from evals.fuzz import reduce, run

    note(f"{count} random CUDA kernels, seed {seed}: the machine ({engine}) and a C++ compiler")
    progress = Progress("kernels")
    try:
        report, failed, _ = run.run(count, seed, engine, progress)
    finally:
        progress.close()
    for outcome in failed:
        name = outcome.kernel.name
        if small and outcome.kind != "oracle":
            note(f"{name}: making it small")
            outcome = reduce.reduced(outcome, engine)
        path = run.save(outcome, Path(FOLDER))
        report.reasons[name] = f"{outcome.reason} (written to {path})"
    return report
