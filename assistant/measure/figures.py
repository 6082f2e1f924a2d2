"""Takes the measurements. Times are seconds by the clock on the wall; medians of several runs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import vgpu
from assistant.measure.programs import TIMED, compiled, counting, launch
from vgpu.engines.native import compiler
from vgpu.network import compile_network
from vgpu.store import save_network

LANES: Final = (1, 4, 32, 128)
TURNS: Final = 400  # of the loop in a run
DENSE_TURNS: Final = 5
# Runs by itself: what is there already would count as nothing.
_FRESH: Final = """
import json, time
import vgpu
from vgpu import asm
machine = vgpu.Machine()
machine.run(vgpu.Program("exit", tuple(asm.assemble("exit"))), {})
ready = time.time()
machine.run(vgpu.Program("exit", tuple(asm.assemble("exit"))), {}, block=machine.geometry.threads)
from assistant.measure.peak import peak_mb
print(json.dumps([ready, peak_mb()]))
"""


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def passes(machine: vgpu.Machine, rounds: int, turns: int = 0) -> dict[str, dict[str, float]]:
    """Passes a second by number of lanes, which take turns: a disturbance meets them all."""
    loop = counting(turns or TURNS)
    lanes = [count for count in LANES if count <= machine.geometry.threads]
    for count in lanes:
        machine.run(loop, {}, block=count)
    speeds: dict[int, list[float]] = {count: [] for count in lanes}
    for _ in range(rounds):
        for count in lanes:
            run = machine.run(loop, {}, block=count)
            speeds[count].append(run.passes / run.seconds)
    return {str(count): spread(values) for count, values in speeds.items()}


def programs(machine: vgpu.Machine, rounds: int) -> dict[str, dict[str, Any]]:
    code = compiled()
    runs: dict[str, list[vgpu.Run]] = {name: [] for name in TIMED}
    for _ in range(rounds + 1):
        for name, timed in TIMED.items():
            runs[name].append(launch(machine, code[timed.kernel], timed))
    return {name: _program(made[1:]) for name, made in runs.items()}


def _program(runs: list[vgpu.Run]) -> dict[str, Any]:
    x, y, z = runs[0].block
    times = spread([run.seconds for run in runs])
    return {
        "lanes": x * y * z, "passes": runs[0].passes, "words": runs[0].words,
        "instructions": runs[0].instructions, "seconds": times["median"],
        "low": times["low"], "high": times["high"], "out": runs[0].outputs["out"],
    }  # fmt: skip


def build() -> dict[str, float]:
    """Everything from nothing: the circuit, its weights on disk, the engine's code."""
    with tempfile.TemporaryDirectory(prefix="vgpu-") as folder:
        started = time.perf_counter()
        network = compile_network()
        compiled_at = time.perf_counter()
        save_network(network, Path(folder) / "machine.safetensors")
        saved = time.perf_counter()
        compiler.compile_all()
        done = time.perf_counter()
    return {
        "circuit_s": compiled_at - started, "weights_s": saved - compiled_at,
        "native_s": done - saved,
    }  # fmt: skip


def fresh(rounds: int) -> tuple[dict[str, float], float]:
    """A new process with everything in the cache: seconds until it has run a program, and the
    most memory it had, in MB."""
    times, memory = [], 0.0
    for _ in range(rounds):
        started = time.time()
        done = subprocess.run(
            [sys.executable, "-c", _FRESH], capture_output=True, text=True, check=True
        )
        ready, peak = json.loads(done.stdout)
        times.append(ready - started)
        memory = max(memory, peak)
    return spread(times), memory


def dense(rounds: int) -> dict[str, dict[str, float]]:
    """Passes a second of the stock layers."""
    return passes(vgpu.Machine(engine="dense"), rounds, DENSE_TURNS)
