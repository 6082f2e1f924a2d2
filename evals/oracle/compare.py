"""Compares the machine with an oracle, case by case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import codegen
import vgpu
from evals.oracle import cpu, gpu, nvrtc
from vgpu.verify import arguments

Progress = Callable[[int, int], None]
KINDS = ("cpu", "nvrtc", "gpu")


def _run(
    machine: vgpu.Machine, program: vgpu.Program, case: dict[str, Any]
) -> dict[str, list[int]]:
    inputs, outputs = arguments(case)
    run = machine.run(
        program, inputs, outputs, grid=case["grid"], block=case["block"],
        shared=case.get("shared_bytes", 0),
    )  # fmt: skip
    return {name: run.outputs[name] for name in case["expect"]}


def compare(
    kind: str, folder: Path, engine: str = "sparse", progress: Progress | None = None
) -> dict[str, Any]:
    """{"passed", "failed", "names", "reasons", "oracle"} over every case of a folder.

    cpu, gpu: the oracle's outputs against the machine's. nvrtc: the machine's outputs from NVIDIA's
    PTX against the case's expectation.
    """
    machine = vgpu.Machine(engine)
    real = gpu.Gpu() if kind == "gpu" else None
    cases = cpu.load_cases(folder)
    reasons: dict[str, str] = {}
    for number, (name, case) in enumerate(cases, 1):
        try:
            if kind == "nvrtc":
                text = (folder / case["file"]).read_text(encoding="utf-8")
                ptx = nvrtc.to_ptx(text, case["file"])
                program = codegen.ptx_to_program(ptx, case["kernel"], case["file"])
                got, want = _run(machine, program, case), case["expect"]
            else:
                program = codegen.compile_file(folder / case["file"], case["kernel"])
                got = _run(machine, program, case)
                run = real.run_case if real is not None else cpu.run_case
                want = run(folder, case)
            if got != want:
                first = next(k for k in want if got.get(k) != want[k])
                reasons[name] = f"{first}: machine {got.get(first)}, oracle {want[first]}"
        except (vgpu.VgpuError, cpu.OracleError) as error:
            reasons[name] = str(error)
        if progress is not None:
            progress(number, len(cases))
    about = {"cpu": "C++ compiler on the CPU", "nvrtc": "NVRTC", "gpu": gpu.device_name() or "none"}
    return {
        "oracle": about[kind],
        "passed": len(cases) - len(reasons),
        "failed": len(reasons),
        "names": sorted(reasons),
        "reasons": reasons,
    }
