"""Verification against known results: kernels with their arguments and what they must give."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from vgpu import case_format
from vgpu.engines import Engine
from vgpu.errors import InputError, VgpuError
from vgpu.launch import Array, Value
from vgpu.program import Program
from vgpu.runtime import Machine, Run
from vgpu.verify_report import Progress, Report
from vgpu.verify_together import Together

CASE_PASSES: Final = 1_000_000
COMPILERS: Final = 2  # kernels that are compiled at once, while others run
Compile = Callable[[Path, str], Program]


def run_cases(
    directory: Path,
    engine: str | Engine,
    compile: Compile,
    progress: Progress | None = None,
) -> Report:
    """Run every case of a folder and compare its outputs.

    K.json lists the cases of one kernel: kernel, file (.cu or .ptx beside it), grid, block,
    shared_bytes, args (name, kind in|out|inout|scalar, type, values or count) and expect
    (name → values; f32 as bit patterns). `compile(path, kernel)` makes the program, in another
    thread, while earlier ones run. A case that cannot be compiled or does not fit the machine
    failed, and is listed in `skipped` besides. With several engines as one (`Together`) every word
    of the runs is compared besides, and at the end every word of memory that the launch could use.
    Raises InputError when there are no cases, or a file is not in the format.
    """
    machine = Machine(engine)
    cases = list(_read_cases(directory))
    if not cases:
        raise InputError(f"{directory}: no case files (NAME.json) here")
    report, started = Report(), time.perf_counter()
    with ThreadPoolExecutor(COMPILERS) as pool:
        compiled: dict[tuple[Path, str], Future[Program]] = {}
        for _, case in cases:
            key = _kernel(directory, case)
            if key not in compiled:
                compiled[key] = pool.submit(compile, *key)
        try:
            for done, (name, case) in enumerate(cases):
                if progress is not None:
                    progress(done, len(cases), name)
                try:
                    program = compiled[_kernel(directory, case)].result()
                except VgpuError as error:
                    report.add(name, str(error), unsupported=True)
                else:
                    _run_case(name, case, program, machine, report)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    report.counts["seconds"] = time.perf_counter() - started
    return report


def _kernel(directory: Path, case: dict[str, Any]) -> tuple[Path, str]:
    return directory / case["file"], case["kernel"]


def _run_case(
    name: str, case: dict[str, Any], program: Program, machine: Machine, report: Report
) -> None:
    inputs, outputs = arguments(case)
    try:
        run = machine.run(
            program,
            inputs,
            outputs,
            grid=case["grid"],
            block=case["block"],
            shared=case["shared_bytes"],
            max_passes=CASE_PASSES,
        )
        if isinstance(machine.engine, Together):
            machine.read_memory()
            machine.engine.finish()
    except InputError as error:
        report.add(name, str(error), unsupported=True)
        return
    except VgpuError as error:
        report.add(name, str(error))
        return
    report.counts["words"] += run.words
    report.counts["passes"] += run.passes
    report.counts["instructions"] += run.instructions
    report.add(name, _compare(case["expect"], run))


def arguments(case: dict[str, Any]) -> tuple[dict[str, Value], dict[str, int | tuple[str, int]]]:
    """The inputs and outputs of a case, as `Machine.run` takes them."""
    inputs: dict[str, Value] = {}
    outputs: dict[str, int | tuple[str, int]] = {}
    for arg in case["args"]:
        name, kind = arg["name"], arg["kind"]
        type = "u8" if arg["type"] == "bool" else arg["type"]
        if kind == "scalar":
            inputs[name] = Array(type, arg["values"])
        elif kind == "out":
            outputs[name] = (type, arg["count"])
        else:
            inputs[name] = Array(type, arg["values"])
            if kind == "inout":
                outputs[name] = (type, len(arg["values"]))
    return inputs, outputs


def _compare(expect: dict[str, list[int]], run: Run) -> str | None:
    for name, values in expect.items():
        came = run.outputs.get(name)
        if came is None:
            return f"{name} was not read back"
        for i, (right, wrong) in enumerate(zip(values, came, strict=False)):
            if right != wrong:
                return f"{name}[{i}] is {wrong}, expected {right}"
        if len(values) != len(came):
            return f"{name} has {len(came)} elements, expected {len(values)}"
    return None


def _read_cases(directory: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, case) of every case: the file's name and the case's number in it."""
    if not directory.is_dir():
        raise InputError(f"{directory}: not a folder; give a folder of case files")
    for path in sorted(directory.glob("*.json")):
        try:
            cases = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{error.lineno}:{error.colno}: not JSON") from None
        except (ValueError, RecursionError):
            raise InputError(f"{path}: not JSON") from None
        if not isinstance(cases, list):
            raise InputError(f"{path}: expected a list of cases")
        for i, case in enumerate(cases):
            yield f"{path.stem}[{i}]", case_format.check(case, f"{path}: case {i}")
