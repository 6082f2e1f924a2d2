"""CUDA C as people and language models write it: each file of `models_write` says what comes of it.

The first lines of a file are its table, as comments: `run:` the options of `assistant run`,
`expect:` an output, `error:` the start of the line that refuses it (or a part, after `...`),
`fault:` a word of the fault, `note:` a host function that is left out, `folded: true`.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import codegen
import vgpu
from assistant import launch_args
from codegen.clang import find_clang
from codegen.front import host_functions
from codegen.reading import read_text
from vgpu.errors import FaultError, InputError
from vgpu.program import Program

FOLDER = Path(__file__).parent / "models_write"
SOURCES = sorted(FOLDER.glob("*.cu"))
pytestmark = pytest.mark.skipif(find_clang() is None, reason="no clang")


def table(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = re.match(r"// (run|expect|error|fault|note|folded): ?(.*)", line)
        if match is None:
            break
        found.setdefault(match[1], []).append(match[2])
    return found


def options(line: str) -> dict[str, list[str]]:
    words = shlex.split(line)
    found: dict[str, list[str]] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        found.setdefault(name.lstrip("-"), []).append(value)
    return found


def run(program: Program, given: dict[str, list[str]]) -> dict[str, list[int]]:
    taken = launch_args.collect(
        program.params, given.get("in", []), given.get("out", []), given.get("set", [])
    )
    inputs = {name: vgpu.Array(*array) for name, array in taken.arrays.items()}
    done = vgpu.Machine(engine="interpreter").run(
        program,
        inputs | taken.scalars,
        taken.outputs,
        grid=launch_args.dimensions("--grid", given.get("grid", ["1"])[0]),
        block=launch_args.dimensions("--block", given.get("block", ["1"])[0]),
        shared=int(given.get("shared", ["0"])[0]),
    )
    return done.outputs


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_source(source: Path) -> None:
    text = read_text(source)
    told = table(text)
    given = options(told.get("run", [""])[0])
    kernel = given.get("kernel", [None])[0]

    def outcome() -> dict[str, list[int]]:
        program = codegen.compile_source(text, kernel, source.name)
        assert bool(program.stats["folded"]) == ("folded" in told)
        return run(program, given)

    if "error" in told:
        with pytest.raises(InputError) as refused:
            outcome()
        assert str(refused.value).startswith(told["error"][0])
        assert "\n" not in str(refused.value)
        return
    if "fault" in told:
        with pytest.raises(FaultError, match=told["fault"][0]):
            outcome()
        return
    got = outcome()
    for line in told["expect"]:
        name, _, values = line.partition(" = ")
        assert got[name] == [int(v) for v in values.split(",")], name
    assert [n for n in told.get("note", []) if n not in host_functions(text)] == []
