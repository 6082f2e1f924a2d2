"""Compares the machine with an oracle, case by case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import codegen
import vgpu
from evals.oracle import cpu, gpu, nvrtc
from vgpu.verify import Report, arguments

Progress = Callable[[int, int, str], None]
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
) -> Report:
    """Every case of a folder.

    cpu, gpu: the oracle's outputs against the machine's. nvrtc: the machine's outputs from NVIDIA's
    PTX against the case's expectation.
    """
    machine = vgpu.Machine(engine)
    real = gpu.Gpu() if kind == "gpu" else None
    cases = cpu.load_cases(folder)
    report = Report()
    for number, (name, case) in enumerate(cases, 1):
        try:
            if kind == "nvrtc":
                text = (folder / case["file"]).read_text(encoding="utf-8")
                ptx = nvrtc.to_ptx(text, case["file"])
                program = codegen.ptx_to_program(ptx, case["kernel"], case["file"])
                # PTX numbers its parameters; the case names them in order.
                names = [arg["name"] for arg in case["args"]]
                params = zip(program.params, names, strict=True)
                program = replace(program, params=tuple(replace(p, name=n) for p, n in params))
                got, want = _run(machine, program, case), case["expect"]
            else:
                program = codegen.compile_file(folder / case["file"], case["kernel"])
                got = _run(machine, program, case)
                run = real.run_case if real is not None else cpu.run_case
                want = run(folder, case)
            differs = [k for k in want if got.get(k) != want[k]]
            reason = None
            if differs:
                first = differs[0]
                reason = f"{first}: machine {got.get(first)}, oracle {want[first]}"
        except (vgpu.VgpuError, cpu.OracleError) as error:
            reason = str(error)
        report.add(name, reason)
        if progress is not None:
            progress(number, len(cases), name)
    return report


def about(kind: str) -> str:
    """What the oracle is, for a report."""
    if kind == "gpu":
        return gpu.device_name() or "none"
    return {"cpu": "a C++ compiler, on the CPU", "nvrtc": "NVRTC"}[kind]
