"""The example kernels do what their entries say, and none of them is a task of the evaluation."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

import vgpu
from assistant.advanced.library import Check, Entry
from assistant.advanced.library import library as entries
from codegen.clang import find_clang
from evals import library
from evals.basic import QUESTIONS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = entries()
TASKS = json.loads((QUESTIONS / "advanced5.json").read_text(encoding="utf-8"))
# kernels that the evaluation and the test cases are made of
FOREIGN = [
    path
    for folder in ("evals", "tests/acceptance/cases", "tests/codegen/cases")
    for path in sorted((ROOT / folder).rglob("*.cu"))
]
_OWN_WORDS = 6
_KERNEL = re.compile(r"__global__ void (\w+)\(([^)]*)\)")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|[^\w\s]")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def shingles(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[at : at + _OWN_WORDS]) for at in range(len(found) - _OWN_WORDS + 1)}


def shape(source: str) -> list[str]:
    """The tokens of a kernel, names replaced by the order in which they first occur."""
    names: dict[str, str] = {}
    return [
        names.setdefault(token, f"v{len(names)}")
        if token[0].isalpha() or token[0] == "_"
        else token
        for token in _TOKEN.findall(_COMMENT.sub("", source))
    ]


def test_the_library_is_complete() -> None:
    assert len(EXAMPLES) >= 70
    names = [example.name for example in EXAMPLES]
    assert len(set(names)) == len(names)
    assert sorted(names) == sorted(path.stem for path in library.FOLDER.glob("*.cu"))
    wordings = [words(text) for e in EXAMPLES for text in e.wordings]
    assert len({" ".join(wording) for wording in wordings}) == len(wordings)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_entry_describes_its_kernel(example: Entry) -> None:
    found = _KERNEL.findall(example.source)
    assert len(found) == 1 and found[0][0] == example.name
    assert str(example.signature) == f"__global__ void {found[0][0]}({found[0][1]})"
    assert len(example.source.splitlines()) <= 25
    parameters = [re.findall(r"\w+", parameter)[-1] for parameter in found[0][1].split(",")]
    assert 3 <= len(example.wordings) <= 5 and example.tags and len(example.checks) >= 4
    for check in example.checks:
        assert [*check.inputs, "out"] == parameters and len(check.out) > 0


def test_no_task_and_no_wording_of_the_evaluation() -> None:
    taken = {re.sub(r"_", "", _KERNEL.findall(task["signature"])[0][0]) for task in TASKS}
    foreign = set().union(*(shingles(task["task"]) for task in TASKS))
    for example in EXAMPLES:
        assert example.name.replace("_", "") not in taken
        for wording in example.wordings:
            assert not shingles(wording) & foreign, wording


def test_no_kernel_is_one_of_the_evaluation_or_the_cases() -> None:
    assert FOREIGN
    foreign = {" ".join(shape(path.read_text(encoding="utf-8"))) for path in FOREIGN}
    for example in EXAMPLES:
        assert " ".join(shape(example.source)) not in foreign, example.name


@pytest.mark.skipif(find_clang() is None, reason="no clang")
def test_every_kernel_passes_a_check_of_its_own() -> None:
    """One check of each here; `python -m evals.library` makes them all."""
    programs = library.compiled_together(EXAMPLES)
    machine = vgpu.Machine()
    wrong = []
    for example in EXAMPLES:
        check = example.checks[2]
        got = library.outcome(machine, programs[example.name], check)
        if got != list(check.out):
            wrong.append((example.name, got, check.out))
    assert wrong == []


@pytest.mark.skipif(find_clang() is None, reason="no clang")
@pytest.mark.parametrize("example", EXAMPLES[::40], ids=lambda example: example.name)
def test_a_kernel_alone_passes_all_its_checks(example: Entry) -> None:
    assert library.failures(vgpu.Machine(), example, library.compiled(example)) == []


def test_a_check_that_does_not_hold_is_told() -> None:
    first = EXAMPLES[0]
    wrong = Check(first.checks[0].inputs, (-1,))
    broken = dataclasses.replace(first, checks=(wrong,))
    program = library.compiled_together([first])[first.name]
    (line,) = library.failures(vgpu.Machine("interpreter"), broken, program)
    assert line.startswith(f"{first.name}, check 1: expected [-1], got ")
