"""Verification: engines against each other, word for word, and against known results.

`run_programs` gives random programs to several engines at once. They see the same words, and
every word that comes out must be the same in all of them: load tokens, each lane's word of
every pass, and the memory read back at the end. `run_cases` runs kernels whose results are
known.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from vgpu.engines import Engine
from vgpu.errors import FaultError, InputError, VgpuError
from vgpu.fuzz import RandomProgram, generate
from vgpu.launch import Array, Value
from vgpu.program import Program
from vgpu.runtime import Machine, Run
from vgpu.word import Bits, layout

MAX_PASSES: Final = 3000  # of a random program; they take a few hundred at most
CASE_PASSES: Final = 1_000_000
Progress = Callable[[int, int, str], None]
Compile = Callable[[Path, str], Program]


@dataclass
class Report:
    """What a verification found. `names` are what failed, `reasons` says why (one line each);
    `skipped` are those among them that ask for something not supported."""

    passed: int = 0
    failed: int = 0
    names: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    counts: dict[str, float] = field(
        default_factory=lambda: {"words": 0, "passes": 0, "instructions": 0, "seconds": 0.0}
    )

    def add(self, name: str, reason: str | None, *, unsupported: bool = False) -> None:
        """Count one check; it failed when there is a reason."""
        if reason is None:
            self.passed += 1
            return
        self.failed += 1
        self.names.append(name)
        self.reasons[name] = reason
        if unsupported:
            self.skipped[name] = reason

    def as_json(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "failed": self.failed,
            "names": self.names,
            "reasons": self.reasons,
            "skipped": self.skipped,
            "counts": self.counts,
        }


class DifferError(VgpuError):
    """Two engines gave different words for the same ones."""


class Together:
    """Several engines as one: each step goes to all, and all must give the same words.

    Its words are those of the first engine. `step` raises DifferError, which names the field.
    """

    def __init__(self, engines: Sequence[Engine]) -> None:
        if len(engines) < 2:
            raise InputError("verify compares engines with each other: give at least two")
        if len({engine.geometry for engine in engines}) != 1:
            raise InputError("verify compares engines of one geometry")
        self.engines = list(engines)
        self.geometry = engines[0].geometry
        self.name = "+".join(engine.name for engine in engines)
        self.layout = layout(self.geometry)
        self.reset()

    def reset(self) -> None:
        self.words = self.passes = self.instructions = 0
        for engine in self.engines:
            engine.reset()

    def step(self, words: Bits) -> Bits:
        expected = self.engines[0].step(words)
        for engine in self.engines[1:]:
            came = engine.step(words)
            if not np.array_equal(expected, came):
                raise DifferError(self._difference(engine, words, expected, came))
        self.words += len(words)
        if self.layout.field(words[:1], "exec").any():
            self.passes += 1
            self.instructions += int(self.layout.field(words, "run").sum())
        return expected

    def _difference(self, engine: Engine, words: Bits, expected: Bits, came: Bits) -> str:
        """The first word that differs: where it stood and what its fields were."""
        if expected.shape != came.shape:
            return f"{engine.name} gave {came.shape} bits, expected {expected.shape}"
        at = int(np.flatnonzero((expected != came).any(axis=1))[0])
        given, right, wrong = (self.layout.unpack(w[at : at + 1]) for w in (words, expected, came))
        parts = [
            f"{name} {int(wrong[name][0])} instead of {int(right[name][0])}"
            for name in right
            if right[name][0] != wrong[name][0]
        ]
        kind = next((k for k in ("exec", "read", "mem", "start") if given[k][0]), "load")
        return (
            f"{engine.name} differs from {self.engines[0].name} in word {at} ({kind}, address "
            f"{int(given['addr'][0])}) after {self.passes} passes: {', '.join(parts)}"
        )


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


def run_cases(
    directory: Path,
    engine: str | Engine,
    compile: Compile,
    progress: Progress | None = None,
) -> Report:
    """Run every case of a folder and compare its outputs.

    K.json lists the cases of one kernel: kernel, file (.cu or .ptx beside it), grid, block,
    shared_bytes, args (name, kind in|out|inout|scalar, type, values or count) and expect
    (name → values; f32 as bit patterns). `compile(path, kernel)` makes the program. A case that
    cannot be compiled or does not fit the machine failed, and is listed in `skipped` besides.
    Raises InputError when there are no cases, or a file is not in the format.
    """
    machine = Machine(engine)
    cases = list(_read_cases(directory))
    if not cases:
        raise InputError(f"{directory}: no case files (NAME.json) here")
    compiled: dict[tuple[Path, str], Program | VgpuError] = {}
    report, started = Report(), time.perf_counter()
    for done, (name, case) in enumerate(cases):
        if progress is not None:
            progress(done, len(cases), name)
        key = (directory / case["file"], case["kernel"])
        if key not in compiled:
            try:
                compiled[key] = compile(*key)
            except VgpuError as error:
                compiled[key] = error
        program = compiled[key]
        if isinstance(program, VgpuError):
            report.add(name, str(program), unsupported=True)
        else:
            _run_case(name, case, program, machine, report)
    report.counts["seconds"] = time.perf_counter() - started
    return report


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
    needed = {"kernel", "file", "grid", "block", "shared_bytes", "args", "expect"}
    for path in sorted(directory.glob("*.json")):
        try:
            cases = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"{path}: not JSON: {error}") from None
        if not isinstance(cases, list):
            raise InputError(f"{path}: expected a list of cases")
        for i, case in enumerate(cases):
            missing = needed - set(case) if isinstance(case, dict) else needed
            if missing:
                raise InputError(f"{path}: case {i} has no {', '.join(sorted(missing))}")
            yield f"{path.stem}[{i}]", case
