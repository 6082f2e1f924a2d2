"""The lessons: what they are made of is said in full, programs are right, and rows come back."""

from __future__ import annotations

import itertools
import random
import re

import pytest

import codegen
import vgpu
from assistant.advanced import extent as extents
from assistant.advanced.lessons import filling, lesson, symbols
from assistant.advanced.lessons.pieces import FILES, patterns, pieces
from assistant.advanced.task import read_task
from codegen import clang
from evals.oracle import lessons as oracle

_ENTRY = ".visible .entry "
_LOCATION = re.compile(r"^\s*\.loc\s.*\n", re.MULTILINE)
_MACHINE_CHECKS = 16
REFERENCES = {
    "condition": oracle.CONDITIONS, "value": oracle.VALUES, "relation": oracle.RELATIONS,
    "combination": oracle.COMBINATIONS, "bin": oracle.BINS, "digit": oracle.DIGITS,
}  # fmt: skip


@pytest.fixture(scope="module")
def some():
    return list(itertools.islice(lesson.lessons(3), 150))


@pytest.fixture(scope="module")
def families():
    return {pattern.name: list(filling.every(pattern)) for pattern in patterns()}


def test_every_piece_and_task_has_a_reference():
    assert {pattern.name for pattern in patterns()} == set(oracle.TASKS)
    for kind in FILES:
        assert {piece.name for piece in pieces(kind)} == set(REFERENCES[kind])


def test_there_are_many_programs(families):
    assert sum(map(len, families.values())) >= 3000


def test_what_is_held_out_is_made_of_what_is_shown(families):
    """Every piece and every task is in some family that is learnt from."""
    shown = [f for found in families.values() for f in found if not lesson.held_out(f.family)]
    held = sum(map(len, families.values())) - len(shown)
    assert 0.05 < held / (held + len(shown)) < 0.12
    assert {f.pattern.name for f in shown} == {pattern.name for pattern in patterns()}
    used = {(part.kind, part.name) for f in shown for part in f.parts}
    assert used == {(kind, piece.name) for kind in FILES for piece in pieces(kind)}


def test_the_same_seed_gives_the_same_lessons(some):
    again = list(itertools.islice(lesson.lessons(3), 10))
    assert [(one.task.question, one.body) for one in again] == [
        (one.task.question, one.body) for one in some[:10]
    ]


def test_there_are_many_wordings_of_a_task():
    rng = random.Random(4)
    count = next(p for p in patterns() if p.name == "count")
    for piece in rng.sample(pieces("condition"), 3):
        filled = filling.Filled(count, {"c": filling.Chosen((piece,))})
        filled = filling.Filled(
            count, filled.chosen, {("c", n): k for n, k in piece.consts.items()}
        )
        if not filling.allowed(filled):
            continue
        made = [lesson.of_filled(filled, rng) for _ in range(40)]
        wordings = {re.sub(r"[\W\d]+", " ", one.task.said) for one in made if one}
        assert len(wordings) >= 30, piece.name


def test_rows_come_back(some):
    assert len(set(symbols.VOCABULARY)) == len(symbols.VOCABULARY) < 200
    for one in some:
        assert len(one.row) <= symbols.MOST_SYMBOLS
        assert set(one.row) | set(one.last) <= set(symbols.VOCABULARY)
        assert symbols.text(one.row) == one.body
        assert symbols.symbols(symbols.text(one.row, depth=2)) == one.row


@pytest.mark.parametrize("text", ["float x = 1;", "a[i] = 12345;", 'out[0] = "a";'])
def test_other_symbols_are_refused(text):
    with pytest.raises(ValueError, match="no symbol"):
        symbols.symbols(text)


def test_what_is_read_has_names_for_the_data(some):
    for one in some:
        for name, value in one.task.inputs.items():
            if isinstance(value, list):
                assert re.search(rf"\b{name}\b", one.task.said)
                assert ", ".join(map(str, value)) not in one.task.said or len(value) < 3
        if one.chat:
            assert read_task(one.task.question) == one.task
        extent = extents.parse(one.output, [p.name for p in one.task.signature.scalars])
        result = oracle.expected(one, one.task.inputs)
        assert extent.count(one.task.inputs, result) == len(result), one.family


def test_one_task_has_one_program(some):
    programs = {}
    for one in some:
        key = one.family, tuple(sorted(one.places.items()))
        assert programs.setdefault(key, one.body) == one.body


@pytest.mark.skipif(clang.find_clang() is None, reason="no clang")
def test_the_machine_gives_what_the_references_say():
    """One of so many kinds in turn; all kinds are tried when the lessons are changed."""
    rng = random.Random(11)
    sorting = next(p for p in patterns() if p.name == "sorted_count")
    chosen = [sorting, *rng.sample(patterns(), _MACHINE_CHECKS)]
    made = [next(filter(None, (lesson.lesson(p, rng) for _ in range(50)))) for p in chosen]
    machine = vgpu.Machine()
    wrong = []
    for one, program in zip(made, _programs([one.source for one in made]), strict=True):
        inputs = one.other_inputs(rng, 5)
        wanted = oracle.expected(one, inputs)
        got = _run(machine, program, inputs, max(len(wanted), 1))
        if got != wanted:
            wrong.append((one.family, inputs, got, wanted))
    assert wrong == []


def _programs(sources):
    """Compiled in one go: that is quicker."""
    named = [re.sub(r"void \w+\(", f"void lesson{n}(", s) for n, s in enumerate(sources)]
    head, *entries = _LOCATION.sub("", clang.compile_to_ptx("\n".join(named), "l.cu")).split(_ENTRY)
    found = {}
    for entry in entries:
        body, end, _ = entry.partition("\n}\n")
        program = codegen.ptx_to_program(head + _ENTRY + body + end, name="l.ptx")
        found[program.kernel] = program
    return [found[f"lesson{n}"] for n in range(len(sources))]


def _run(machine, program, inputs, count):
    values = {str(at): value for at, value in enumerate(inputs.values(), start=1)}
    out = str(len(values) + 1)
    run = machine.run(program, values, {out: count}, block=32, max_passes=30_000)
    return run.outputs[out] if out in run.outputs else next(iter(run.outputs.values()))
