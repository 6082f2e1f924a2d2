"""Replay: the words of a trace, given to an engine again, must give the same words."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vgpu.engines import Engine, make_engine
from vgpu.errors import InputError
from vgpu.geometry import Geometry
from vgpu.trace import FORMAT, checksum
from vgpu.verify_report import Progress, Report
from vgpu.word import Bits, WordLayout, layout


@dataclass
class Step:
    """One record: what it is called, the words that went in and that came out. `edited`: they do
    not match their checksum."""

    line: int
    name: str
    given: Bits
    came: Bits
    is_pass: bool
    edited: bool


def run_replay(path: Path, engine: str | Engine, progress: Progress | None = None) -> Report:
    """Give an engine every word of a trace again; stops at the first word that differs.

    The report's one reason names the pass, the lane and the field. Raises InputError when the file
    is not a trace, or of a machine of another size than the engine's.
    """
    lines = _lines(path)
    header = _header(path, lines)
    geometry = _geometry(path, header)
    if isinstance(engine, str):
        engine = make_engine(engine, geometry)
    elif engine.geometry != geometry:
        raise InputError(f"{path}: the trace is of a machine of another size")
    names = layout(geometry)
    if header.get("fields") != names.widths:
        raise InputError(f"{path}: the trace's words have other fields than this machine's")
    engine.reset()
    report, started = Report(), time.perf_counter()
    for done, step in enumerate(_steps(path, lines, header, names)):
        if progress is not None:
            progress(done, len(lines) - 1, step.name)
        reason = _differs(step, names, engine)
        report.add(step.name, f"{path}:{step.line}: {reason}" if reason else None)
        report.counts["words"] += len(step.given)
        report.counts["passes"] += step.is_pass
        if step.is_pass:
            report.counts["instructions"] += int(names.field(step.given, "run").sum())
        if reason:
            break
    report.counts["seconds"] = time.perf_counter() - started
    return report


def _differs(step: Step, names: WordLayout, engine: Engine) -> str | None:
    came = engine.step(step.given)
    if np.array_equal(came, step.came):
        if step.edited:
            return f"{step.name}: the words were changed after they were written"
        return None
    at = int(np.flatnonzero((came != step.came).any(axis=1))[0])
    given, file, right = (names.unpack(w[at : at + 1]) for w in (step.given, step.came, came))
    parts = [
        f"field {name}: the file has {int(file[name][0])}, {engine.name} gives {int(value[0])}"
        for name, value in right.items()
        if file[name][0] != value[0]
    ]
    where = f"lane {int(given['thread'][0])}" if step.is_pass else f"word {at}"
    return f"{step.name}, {where}, {'; '.join(parts)}"


def _steps(
    path: Path, lines: list[str], header: dict[str, Any], names: WordLayout
) -> Iterator[Step]:
    """Every record after the first. What goes into a block's first pass is known: every lane
    runs, from instruction 0."""
    x, y, z = header["block"]
    first = names.pack(x * y * z, exec=1, run=1, thread=np.arange(x * y * z))
    words = first
    for number, text in enumerate(lines[1:], 2):
        try:
            record = json.loads(text)
            is_pass = "pass" in record
            came = names.from_hex(record["words" if is_pass else "out"])
            given = words if is_pass else names.from_hex(record["in"])
            hexes = record["words"] if is_pass else record["in"] + record["out"]
            edited = record["crc"] != checksum(hexes)
            name = f"pass {record['pass']}" if is_pass else f"{record['chunk']} chunk"
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}:{number}: not a record of a trace: {error}") from None
        if len(given) != len(came):
            raise InputError(f"{path}:{number}: {len(came)} words, expected {len(given)}")
        words = came if is_pass else first
        yield Step(number, name, given, came, is_pass, edited)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def _header(path: Path, lines: list[str]) -> dict[str, Any]:
    try:
        header = json.loads(lines[0])
        if header["trace"] == FORMAT:
            return dict(header)
    except (IndexError, ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{path}: not a trace; make one with: assistant run FILE --trace {path.name}")


def _geometry(path: Path, header: dict[str, Any]) -> Geometry:
    try:
        return Geometry(**header["geometry"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}:1: no size of a machine that can be: {error}") from None
