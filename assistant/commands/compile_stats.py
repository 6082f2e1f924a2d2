"""`compile --show stats`: the figures of a program, and of a launch of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant import sources
from assistant.launch import Launch, dims, pass_budget
from vgpu.errors import VgpuError
from vgpu.program import Program

if TYPE_CHECKING:
    from vgpu.runtime import Machine, Run

Figures = dict[str, object]


def static(program: Program) -> Figures:
    """What is known without running it."""
    figures: Figures = {
        "kernel": program.kernel,
        "instructions": len(program.code),
        "parameter bytes": program.param_bytes,
        "static data bytes": len(program.data),
        "shared bytes": program.shared_bytes,
        "stack bytes a thread": program.local_bytes,
    }
    known = {"data_bytes", "shared_bytes", "local_bytes"}
    figures |= {k.replace("_", " "): v for k, v in program.stats.items() if k not in known}
    parameters = ", ".join(
        f"{p.name}: {p.type or '?'}{'*' if p.pointer else ''}" for p in program.params
    )
    return figures | {"parameters": parameters or "none"}


def of_launch(program: Program, ptx: str | None, launch: Launch, settings: dict[str, Any],
              kernel: str | None) -> Figures:  # fmt: skip
    """What `launch` takes on the engine of `settings`. `ptx` is None for a stored program."""
    from vgpu import Machine

    given, budget = launch.arguments(program), pass_budget(settings)
    run = launch.start(Machine(engine=settings["engine"]), program, given, max_passes=budget)
    figures: Figures = {
        "launch": f"grid {dims(run.grid)} · block {dims(run.block)}",
        "engine": run.engine,
        "passes": run.passes,
        "words": run.words,
        "instructions executed": run.instructions,
        "instructions executed a thread": f"{run.instructions / launch.threads:.1f}",
    }
    if ptx is None:
        return figures | {"PTX instructions executed": "unknown: a compiled program holds no PTX"}

    from codegen import stats

    def again(machine: Machine, one: Program) -> Run:
        return launch.start(machine, one, given, max_passes=max(4 * run.passes, 100_000))

    try:
        counts = stats.executed(program, stats.marked(ptx, program, kernel), again)
    except VgpuError as error:
        return figures | {"PTX instructions executed": f"not counted: {error}"}
    return figures | {
        "of these in library routines": counts.library,
        "PTX instructions executed": counts.ptx,
        "PTX instructions executed a thread": f"{counts.ptx / launch.threads:.1f}",
        "instructions a PTX instruction, library apart": f"{counts.ratio:.3f}",
    }


def ptx_of(file: Path, kernel: str | None, settings: dict[str, Any]) -> str | None:
    """The PTX that the program of `file` came from, if there is any."""
    if file.suffix == ".vgpu":
        return None
    return sources.ptx(file, kernel, settings["via"], settings["clang"])


def shown(figures: Figures) -> str:
    """A line each."""
    width = max(map(len, figures))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in figures.items())
