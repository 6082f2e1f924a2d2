"""Compares the machine with an oracle, case by case."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import codegen
import vgpu
from evals.oracle import cpu, gpu, nvrtc
from vgpu.verify import Report, arguments

Progress = Callable[[int, int, str], None]
Outputs = dict[str, list[int]]
KINDS = ("cpu", "nvrtc", "gpu")


def compare(
    kind: str, folder: Path, engine: str = "sparse", progress: Progress | None = None
) -> Report:
    """Every case of a folder.

    cpu, gpu: the oracle's outputs against the machine's. nvrtc: the machine's outputs from NVIDIA's
    PTX against the case's expectation. Raises InputError when there are no cases.
    """
    machine = vgpu.Machine(engine)
    cases = cpu.load_cases(folder)
    report, started = Report(), time.perf_counter()
    with ExitStack() as stack:
        oracle = _oracle(kind, folder, [case for _, case in cases], stack)
        program = cache(_from_nvidia if kind == "nvrtc" else codegen.compile_file)
        for number, (name, case) in enumerate(cases, 1):
            try:
                made = program(folder / case["file"], case["kernel"])
                got = _run(machine, _named(made, case) if kind == "nvrtc" else made, case, report)
                reason = difference(got, oracle(case))
            except (vgpu.VgpuError, cpu.OracleError) as error:
                reason = str(error)
            report.add(name, reason)
            if progress is not None:
                progress(number, len(cases), name)
    report.counts["seconds"] = time.perf_counter() - started
    return report


def _oracle(
    kind: str, folder: Path, cases: list[dict[str, Any]], stack: ExitStack
) -> Callable[[Mapping[str, Any]], Outputs]:
    """What gives the outputs that are right, for a case."""
    if kind == "cpu":
        return stack.enter_context(cpu.Builds(folder, cases)).run
    if kind == "gpu":
        real = gpu.Gpu()
        return lambda case: real.run_case(folder, case)
    return lambda case: dict(case["expect"])


def _from_nvidia(file: Path, kernel: str) -> vgpu.Program:
    ptx = nvrtc.to_ptx(file.read_text(encoding="utf-8"), file.name)
    return codegen.ptx_to_program(ptx, kernel, file.name)


def _named(program: vgpu.Program, case: Mapping[str, Any]) -> vgpu.Program:
    """The program with the case's names: PTX numbers its parameters, the case has them in order."""
    names = [arg["name"] for arg in case["args"]]
    params = zip(program.params, names, strict=True)
    return replace(program, params=tuple(replace(p, name=n) for p, n in params))


def _run(
    machine: vgpu.Machine, program: vgpu.Program, case: Mapping[str, Any], report: Report
) -> Outputs:
    inputs, outputs = arguments(dict(case))
    run = machine.run(
        program, inputs, outputs, grid=case["grid"], block=case["block"],
        shared=case.get("shared_bytes", 0),
    )  # fmt: skip
    for name in ("words", "passes", "instructions"):
        report.counts[name] += getattr(run, name)
    return {name: run.outputs[name] for name in case["expect"]}


def difference(got: Mapping[str, list[int]], want: Mapping[str, list[int]]) -> str | None:
    """The first element that differs, in words, or None."""
    for name, right in want.items():
        came = got.get(name, [])
        if len(came) != len(right):
            return f"{name}: machine has {len(came)} elements, oracle {len(right)}"
        for i, (a, b) in enumerate(zip(came, right, strict=True)):
            if a != b:
                return f"{name}[{i}]: machine {a}, oracle {b}"
    return None


def about(kind: str) -> str:
    """What the oracle is, for a report."""
    if kind == "gpu":
        return gpu.device_name() or "none"
    return {"cpu": "a C++ compiler, on the CPU", "nvrtc": "NVRTC"}[kind]
