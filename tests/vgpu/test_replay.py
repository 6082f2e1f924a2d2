"""A trace can be re-executed, and one flipped bit in the file is found and named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.cli import main
from vgpu import InputError, Machine, Param, Program, asm
from vgpu.engines import make_engine
from vgpu.geometry import DEFAULT, Geometry
from vgpu.trace import checksum, spelled
from vgpu.verify import run_replay
from vgpu.word import layout

CUBES = """
    s2r r0, %tid.x
    s2r r3, %ctaid.x
    mul r1, r0, r0
    mad r1, r1, r0, r3
    bar
    ld.b32 r2, [16]
    shl r4, r0, 2
    add r2, r2, r4
    st.b32 [r2], r1
    exit
"""
LANES = 3
PROGRAM = Program("cubes", tuple(asm.assemble(CUBES)), (Param("out", 0, 4, True),), 20, b"", 32)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "t.jsonl"
    run = Machine().run(PROGRAM, {}, {"out": LANES}, grid=2, block=LANES, trace=path)
    assert run.outputs["out"] == [1, 2, 9]
    return path


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path: Path, changed: list[dict[str, Any]]) -> None:
    path.write_bytes(b"".join(spelled(record) for record in changed))


def flip(words: list[str], lane: int, field: str, bit: int = 0) -> None:
    at = layout(DEFAULT).offsets[field] + bit
    words[lane] = f"{int(words[lane], 16) ^ 1 << at:0{len(words[lane])}x}"


@pytest.mark.parametrize("engine", ["sparse", "interpreter", "dense"])
def test_a_trace_replays_on_every_engine(trace: Path, engine: str) -> None:
    if engine == "dense":  # slow: one block is enough
        Machine().run(PROGRAM, {}, {"out": LANES}, block=LANES, trace=trace)
    seen: list[str] = []
    report = run_replay(trace, engine, lambda done, total, name: seen.append(name))
    assert (report.failed, report.passed) == (0, len(records(trace)) - 1)
    assert report.counts["passes"] == sum("pass" in record for record in records(trace))
    assert seen[0] == "load chunk" and seen[-1] == "read chunk"


@pytest.mark.parametrize("field", ["value", "addr", "run", "preds", "we", "rd", "thread", "odd"])
def test_a_flipped_bit_of_a_pass_is_named(trace: Path, field: str) -> None:
    """With the checksum mended: it is the execution that finds it."""
    changed = records(trace)
    number, record = [(i, r) for i, r in enumerate(changed, 1) if r.get("pass") == 15][0]
    before = int(layout(DEFAULT).field(layout(DEFAULT).from_hex(record["words"]), field)[2])
    flip(record["words"], 2, field)
    record["crc"] = checksum(record["words"])
    write(trace, changed)
    report = run_replay(trace, "sparse")
    assert (report.failed, report.names) == (1, ["pass 15"])
    want = f"field {field}: the file has {before ^ 1}, sparse gives {before}"
    assert report.reasons["pass 15"] == f"{trace}:{number}: pass 15, lane 2, {want}"


def test_a_flipped_bit_of_the_prompt_shows_in_the_first_pass_that_uses_it(trace: Path) -> None:
    """An instruction's opcode: the words of load tokens do not show it, the passes do."""
    changed = records(trace)
    flip(changed[1]["in"], 10 + 2, "value", 25)  # the upper half of mul: now mad
    changed[1]["crc"] = checksum(changed[1]["in"] + changed[1]["out"])
    write(trace, changed)
    report = run_replay(trace, "interpreter")
    assert report.names == ["pass 3"]
    assert "lane 1, field value: the file has 1, interpreter gives" in report.reasons["pass 3"]


def test_a_flipped_bit_that_no_word_shows_is_found_by_the_checksum(trace: Path) -> None:
    changed = records(trace)
    flip(changed[1]["in"], 0, "value", 20)  # of s2r, which does not use it
    write(trace, changed)
    report = run_replay(trace, "interpreter")
    assert report.names == ["load chunk"]
    assert report.reasons["load chunk"].startswith(f"{trace}:2: load chunk")
    assert "changed after they were written" in report.reasons["load chunk"]


def test_an_edited_result_is_found(trace: Path) -> None:
    changed = records(trace)
    flip(changed[-2]["out"], 1, "value")
    write(trace, changed)
    report = run_replay(trace, "sparse")
    assert "read chunk, word 1, field value: the file has 3" in report.reasons["read chunk"]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "no", '{"trace": "vgpu-trace-1", "geometry": {"width": 3}}']
)
def test_files_that_are_no_traces(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="x.jsonl"):
        run_replay(path, "interpreter")


def test_a_trace_cut_at_any_line_is_not_whole(trace: Path) -> None:
    lines = trace.read_bytes().splitlines(keepends=True)
    for most in range(1, len(lines)):
        trace.write_bytes(b"".join(lines[:most]))
        report = run_replay(trace, "interpreter")
        assert (report.failed, report.names) == (1, ["end"]), most
        assert "incomplete" in report.reasons["end"]


def test_a_missing_moved_or_added_line_is_found(trace: Path) -> None:
    lines = trace.read_bytes().splitlines(keepends=True)
    for at in range(1, len(lines) - 1):
        assert lines[at] != lines[at + 1]
        for changed in (
            lines[:at] + lines[at + 1 :],
            [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
            [*lines[:at], lines[at], *lines[at:]],
        ):
            trace.write_bytes(b"".join(changed))
            assert run_replay(trace, "interpreter").failed == 1, at


@pytest.mark.parametrize(
    ("number", "name", "value", "found"),
    [
        (0, "kernel", "squares", "1: the line was changed"),
        (0, "engine", "dense", "1: the line was changed"),
        (0, "grid", [1, 1, 1], "1: the line was changed"),
        (0, "block", [1, 3, 1], "1: the line was changed"),
        (4, "pass", 7, "expected pass 2"),
        (4, "ctaid", [1, 0, 0], "its block is"),
        (-1, "passes", 3, "its end says 3"),
        (-1, "records", 3, "its end says 3"),
        (-1, "crc", 3, "changed, removed or reordered"),
    ],
)
def test_an_edited_field_is_found(
    trace: Path, number: int, name: str, value: object, found: str
) -> None:
    changed = records(trace)
    assert changed[number][name] != value
    changed[number][name] = value
    write(trace, changed)
    report = run_replay(trace, "interpreter")
    assert report.failed == 1
    assert found in next(iter(report.reasons.values()))


@pytest.mark.parametrize("value", [None, -1, "x", [], 10**9, 1.5, [0, 1, 1], [1, 1], [64, 64, 1]])
@pytest.mark.parametrize("name", ["block", "geometry", "grid"])
def test_sizes_that_cannot_be_are_refused(trace: Path, name: str, value: object) -> None:
    if (name, value) == ("grid", [64, 64, 1]):
        return
    changed = records(trace)
    changed[0][name] = value
    write(trace, changed)
    with pytest.raises(InputError, match=rf"t.jsonl:1: {name}"):
        run_replay(trace, "sparse")


@pytest.mark.parametrize(
    ("name", "value"),
    [("memory_bytes", 2**20), ("warps", 1024), ("instructions", 2**20), ("width", True)],
)
def test_a_machine_that_no_engine_is_is_not_built(trace: Path, name: str, value: int) -> None:
    changed = records(trace)
    changed[0]["geometry"][name] = value
    write(trace, changed)
    with pytest.raises(InputError, match=rf"geometry.{name}: expected a size"):
        run_replay(trace, "sparse")


def test_an_interrupted_run_replays_what_is_there(tmp_path: Path) -> None:
    def stop(passes: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "t.jsonl"
    with pytest.raises(KeyboardInterrupt):
        Machine().run(
            PROGRAM, {}, {"out": LANES}, grid=2, block=LANES, trace=str(path), progress=stop
        )
    report = run_replay(path, "interpreter")
    assert (report.failed, report.counts["passes"] > 0) == (0, True)
    assert report.notes == [f"the run was interrupted after pass {report.counts['passes']}"]


@pytest.mark.parametrize(
    "line", ["{", "{}", '{"pass": 1, "words": ["zz"], "crc": 0}', '{"pass": 1, "words": 5}']
)
def test_a_broken_line_is_named(trace: Path, line: str) -> None:
    lines = trace.read_text().splitlines()
    trace.write_text("\n".join([*lines[:3], line]))
    with pytest.raises(InputError, match=r"t.jsonl:4: not a record of a trace"):
        run_replay(trace, "interpreter")


def test_a_trace_of_another_machine(trace: Path) -> None:
    small = make_engine("interpreter", Geometry(memory_bytes=4096))
    with pytest.raises(InputError, match="another size"):
        run_replay(trace, small)
    with pytest.raises(InputError, match="cannot be read"):
        run_replay(trace.with_name("none.jsonl"), "interpreter")


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel, path = tmp_path / "cubes.vgpu", tmp_path / "t.jsonl"
    PROGRAM.save(kernel)
    arguments = ["run", str(kernel), "--block", "3", "--out", "out=3", "--trace", str(path)]
    assert main(arguments) == 0
    assert "out = 0, 1, 8" in capsys.readouterr().out
    assert main(["verify", "--replay", str(path)]) == 0
    assert ", 0 failed" in capsys.readouterr().out
    changed = records(path)
    flip(changed[-3]["words"], 1, "run")
    write(path, changed)
    assert main(["verify", "--replay", str(path), "--engine", "interpreter"]) == 1
    assert "lane 1, field run: the file has 1, interpreter gives 0" in capsys.readouterr().out
    assert main(["verify", "--replay", str(path), "--programs", "3"]) == 2
    assert "exclude each other" in capsys.readouterr().err
