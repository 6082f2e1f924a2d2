"""Kernels as rows of symbols: the grammar, what is read, and a writer whatever its weights."""

import itertools
import random
import threading

import pytest
import torch

import codegen
from assistant.advanced.heard import KINDS, heard
from assistant.advanced.learned import LearnedWriter
from assistant.advanced.lessons import rows
from assistant.advanced.lessons.lesson import lessons
from assistant.advanced.task import of_record, read_task
from assistant.advanced.write import Order
from assistant.reading.calibration import Calibration
from assistant.reading.kept import Fit, save
from assistant.reading.reader import START, Reader, Sizes
from codegen.errors import CompileError


@pytest.fixture(scope="module")
def taught():
    return list(itertools.islice(lessons(41), 150))


def accepted(row, parameters):
    """How many symbols of a row the grammar lets pass."""
    grammar = rows.Grammar(parameters)
    state = grammar.begin()
    for at, symbol in enumerate(row):
        state = grammar.feed(state, row[:at], symbol)
        if state is None:
            return at
    return len(row)


def test_the_grammar_takes_every_lesson_and_a_row_gives_its_kernel(taught):
    for lesson in taught:
        row, task = rows.row_of(lesson), heard(lesson.task)
        assert accepted(row, list(task.names)) == len(row), row
        draft = rows.draft_of(row, lesson.task, task.names, 1.0)
        assert (draft.source, str(draft.extent)) == (lesson.source, lesson.output)
        assert draft.order_free == lesson.order_free
        assert len(row) <= rows.MOST_SYMBOLS


@pytest.mark.parametrize(
    ("row", "at"),
    [
        ("0 <free> out [ 0 ] = n ; <end>", 10),
        ("0 <free> out [ 0 ] = m ; <end>", 7),  # no such parameter
        ("0 <free> out [ 0 ] = sum ; <end>", 7),  # not declared
        ("0 <free> int sum = 0 ; out [ 0 ] = sum ; <end>", 15),
        ("0 <free> a [ 0 ] = 1 ; <end>", 2),  # what is given is not written to
        ("0 <free> out [ 0 ] = a ; <end>", 8),  # a list is no number
        ("0 <free> out [ 0 ] = n <end>", 8),
        ("0 <free> { out [ 0 ] = n ; <end>", 10),
        ("<free> out [ 0 ] = n ; <end>", 0),
    ],
)  # fmt: skip
def test_what_the_grammar_refuses(row, at):
    assert accepted(row.split(), ["a", "n"]) == at


def test_parameters_are_read_by_fixed_names_and_written_by_their_own():
    task = of_record({
        "task": "How many of 14, 31, 8 are above 20? There are 3 of them.",
        "signature": "__global__ void above(const int* sum, int size, int limit, int* out)",
        "output": "out[0]", "inputs": {"sum": [14, 31, 8], "size": 3, "limit": 20},
    })  # fmt: skip
    read = heard(task)
    assert read.text == "How many of a are above k? There are 3 of them."
    assert dict(read.names) == {"a": "sum", "n": "size", "k": "limit"}
    assert [(p.kind, read.text[p.start : p.end]) for p in read.places] == [
        ("a", "a"), ("k", "k"), ("n", "3"),
    ]  # fmt: skip
    row = (
        "0 <free> int sum = 0 ; for ( int i = 0 ; i < n ; i ++ ) { if ( a [ i ] > k ) sum ++ ; } "
        "out [ 0 ] = sum ; <end>"
    )
    assert accepted(row.split(), list(read.names)) == len(row.split())
    draft = rows.draft_of(row.split(), task, read.names, 1.0)
    assert "if (sum[i] > limit) sum_++;" in draft.source
    assert codegen.compile_source(draft.source, name="k.cu").params


def test_wide_data_are_computed_wide():
    task = read_task("Add up 3000000000, 5 and 6.")
    row = "0 <free> int sum = 0 ; out [ 0 ] = sum ; <end>".split()
    draft = rows.draft_of(row, task, heard(task).names, 1.0)
    assert "long long sum = 0;" in draft.source


class NoHost:
    """States at random."""

    name = label = "no host"

    layers = torch.nn.ModuleList([torch.nn.Linear(1, 1)])

    def read(self, texts, adapter, layers):
        generator = torch.Generator().manual_seed(len(texts[0]))
        return [(torch.randn(len(t), 8, generator=generator), [(i, i + 1) for i in range(len(t))])
                for t in texts]  # fmt: skip


@pytest.fixture(scope="module")
def untrained(tmp_path_factory):
    torch.manual_seed(3)
    sizes = Sizes(8, 1, width=16, heads=2, inner=16, layers=1, kinds=KINDS, most=rows.MOST_SYMBOLS)
    reader = Reader(sizes, [START, *rows.VOCABULARY])
    with torch.no_grad():  # it ends now and then, and speaks of much
        reader.say.weight *= 8
        for symbol in (";", ")", "]"):
            reader.say.bias[reader.index[symbol]] += 12
        reader.say.bias[reader.index[rows.END]] += 20
    path = tmp_path_factory.mktemp("writer") / "writer.safetensors"
    save(path, Fit(reader, None, Calibration(), {}, (0,)), "nothing")
    return LearnedWriter(NoHost(), path)


def test_whatever_the_weights_a_finished_kernel_has_no_syntax_error(untrained):
    whole = 0
    rng = random.Random(5)
    for number in range(2, 14):
        words = " ".join(rng.choices(["sum", "of", "the", "largest", "odd", "values"], k=4))
        task = read_task(f"{words} in 4, 8, 15, 16 above 12?")
        draft = untrained.write(Order(task, (), seed=number, number=number), threading.Event())
        if draft.whole:
            whole += 1
            try:
                codegen.compile_source(draft.source, name="k.cu")
            except CompileError as error:  # what a grammar without scopes cannot know
                assert "redefinition" in str(error), draft.source
    assert whole > 3


def test_the_same_seed_writes_the_same(untrained):
    task = heard(read_task("How many of 4, 8, 15 are above 9?"))
    assert untrained.row(task, 7) == untrained.row(task, 7)
    assert untrained.row(task, None) == untrained.row(task, None)
