"""Replay: the words of a trace, given to an engine again, must give the same words."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vgpu.engines import Engine, make_engine
from vgpu.errors import InputError
from vgpu.geometry import Geometry
from vgpu.trace import FORMAT, checksum
from vgpu.trace_order import CHUNKS, Header, Order
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
    header = _header(path, lines, None if isinstance(engine, str) else engine.geometry)
    geometry = header.geometry
    if isinstance(engine, str):
        try:
            engine = make_engine(engine, geometry)
        except ValueError as error:
            raise InputError(f"{path}:1: no size of a machine that can be: {error}") from None
    elif engine.geometry != geometry:
        raise InputError(f"{path}: the trace is of a machine of another size")
    names = layout(geometry)
    if header.fields != names.widths:
        raise InputError(f"{path}: the trace's words have other fields than this machine's")
    engine.reset()
    report, started = Report(), time.perf_counter()
    if header.edited:
        report.add("launch", f"{path}:1: the line was changed after it was written")
    else:
        _replay(path, lines, header, names, engine, report, progress)
    report.counts["seconds"] = time.perf_counter() - started
    return report


def _replay(
    path: Path,
    lines: list[bytes],
    header: Header,
    names: WordLayout,
    engine: Engine,
    report: Report,
    progress: Progress | None,
) -> None:
    order = Order(header)
    words = names.pack(header.threads, exec=1, run=1, thread=np.arange(header.threads))
    first = words
    for number, line in enumerate(lines[1:], 2):
        record = _record(path, number, line)
        if "end" in record:
            _end(f"{path}:{number}", record, order, report, number == len(lines))
            return
        step = _step(path, number, record, names, words)
        words = step.came if step.is_pass else first
        if progress is not None:
            progress(number - 2, len(lines) - 1, step.name)
        order.line(line)
        wrong = (
            order.one_pass(record["pass"], record.get("ctaid"))
            if step.is_pass
            else order.chunk(record["chunk"], len(step.given))
        )
        reason = f"{step.name}: {wrong}" if wrong else _differs(step, names, engine)
        report.add(step.name, f"{path}:{number}: {reason}" if reason else None)
        report.counts["words"] += len(step.given)
        report.counts["passes"] += step.is_pass
        if step.is_pass:
            report.counts["instructions"] += int(names.field(step.given, "run").sum())
        if reason:
            return
    report.add(
        "end", f"{path}: incomplete: no end record (cut short, or of an earlier version); "
        f"what is there is right up to pass {order.passes}",
    )  # fmt: skip


def _end(where: str, record: dict[str, Any], order: Order, report: Report, is_last: bool) -> None:
    reason = order.end(record) if is_last else "records come after the end"
    report.add("end", f"{where}: {reason}" if reason else None)
    if not reason and record["end"] != "finished":
        what = {"interrupted": "was interrupted", "capped": "is recorded no further"}
        how = what.get(record["end"], "failed")
        report.notes.append(f"the run {how} after pass {order.passes}")


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


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{path}:{number}: not a record of a trace: not JSON") from None
    if not isinstance(record, dict):
        raise InputError(f"{path}:{number}: not a record of a trace")
    return record


def _step(path: Path, number: int, record: dict[str, Any], names: WordLayout, before: Bits) -> Step:
    """A record's words. What goes into a block's first pass is known: every lane runs, from
    instruction 0; into any other go the words that came out `before`."""
    is_pass = "pass" in record
    try:
        if not is_pass and record["chunk"] not in CHUNKS:
            raise ValueError(f"chunk: expected one of {', '.join(CHUNKS)}")
        came = names.from_hex(record["words" if is_pass else "out"])
        given = before if is_pass else names.from_hex(record["in"])
        hexes = record["words"] if is_pass else record["in"] + record["out"]
        edited = record["crc"] != checksum(hexes)
    except KeyError as error:
        raise InputError(f"{path}:{number}: not a record of a trace: no {error}") from None
    except (ValueError, TypeError, AttributeError) as error:
        text = str(error) if isinstance(error, ValueError) else "expected lists of words"
        raise InputError(f"{path}:{number}: not a record of a trace: {text}") from None
    if len(given) != len(came):
        raise InputError(f"{path}:{number}: {len(came)} words, expected {len(given)}")
    name = f"pass {record['pass']}" if is_pass else f"{record['chunk']} chunk"
    return Step(number, name, given, came, is_pass, edited)


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _header(path: Path, lines: list[bytes], within: Geometry | None) -> Header:
    try:
        record = json.loads(lines[0])
    except (IndexError, ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or record.get("trace") != FORMAT:
        raise InputError(
            f"{path}: not a trace; make one with: assistant run FILE --trace TRACE.jsonl"
        )
    try:
        return Header.of(record, within)
    except ValueError as error:
        raise InputError(f"{path}:1: {error}") from None
