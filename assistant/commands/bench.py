"""`assistant bench`: how fast the machine is here."""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

from assistant.commands.options import Json
from assistant.console import out, out_json

_LANES = (1, 4, 32, 128)
_ROUNDS = 3
# Calls whose passes and words the table shows.
_CALLS: dict[str, list[Any]] = {
    "dot": [[1, 2, 3], [4, 5, 6]],
    "sort": [[9, 1, 8, 2, 7, 3, 6, 4]],
    "factorial": [12],
    "isprime": [7919],
}
_LOOP = """
mov r1, 0
loop: add r1, r1, 1
setp.lt.s p0, r1, 400
@p0 bra loop
exit
"""


def command(json: Json = False) -> None:
    """Measure passes a second, a few kernels, start-up and memory."""
    import codegen
    import vgpu
    from vgpu import asm

    started = time.perf_counter()
    machine = vgpu.Machine(engine="sparse")
    build = time.perf_counter() - started
    loop = vgpu.Program("loop", tuple(asm.assemble(_LOOP)))
    machine.run(loop, {})
    startup = time.perf_counter() - started
    speeds = {
        str(lanes): _speed(machine, loop, lanes)
        for lanes in _LANES
        if lanes <= machine.geometry.threads
    }
    programs = {}
    for name, args in _CALLS.items():
        kernel = codegen.catalog()[name]
        launch = kernel.bind(args)
        run = machine.run(
            kernel.program(), launch.inputs, launch.outputs, grid=launch.grid, block=launch.block
        )
        programs[name] = {"passes": run.passes, "words": run.words, "seconds": run.seconds}
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    record = {
        "passes_per_s": speeds,
        "programs": programs,
        "startup_s": startup,
        "build_s": build,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit,
    }
    out_json(record) if json else _print(record)


def _speed(machine: Any, program: Any, lanes: int) -> float:
    """Passes a second over the best of a few runs."""
    runs = [machine.run(program, {}, block=lanes) for _ in range(_ROUNDS)]
    return max(run.passes / run.seconds for run in runs)


def _print(record: dict[str, Any]) -> None:
    for lanes, speed in record["passes_per_s"].items():
        out(f"{lanes:>4} lanes   {speed:>9,.0f} passes/s")
    for name, p in record["programs"].items():
        out(f"{name:<12} {p['passes']:>6} passes  {p['words']:>6} words  {p['seconds']:.3f} s")
    out(
        f"start-up {record['startup_s']:.1f} s (machine {record['build_s']:.1f} s), "
        f"{record['rss_mb']:.0f} MB"
    )
