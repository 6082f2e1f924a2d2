"""The fuzzer of CUDA kernels: the same kernels for a seed, well defined, and no difference."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from codegen.clang import find_clang
from evals.fuzz import features, kernel, reduce, run
from evals.oracle import cpu

SAMPLE = range(20)
SEED = 1
UNDEFINED_TRAPS = ("-fno-wrapv", "-fsanitize=undefined", "-fsanitize-trap=undefined")


@pytest.fixture(scope="module")
def sample() -> list[run.Outcome]:
    """The sample through both compilers."""
    if find_clang() is None:
        pytest.skip("no clang")
    return run.batch(SEED, SAMPLE, "sparse")


def test_no_kernel_of_the_sample_differs(sample: list[run.Outcome]) -> None:
    assert {o.kernel.name: o.reason for o in sample if o.reason is not None} == {}


def test_a_seed_and_a_number_give_one_kernel() -> None:
    first, again, other = kernel.write(3, 5), kernel.write(3, 5), kernel.write(4, 5)
    assert (first.source(), first.case) == (again.source(), again.case)
    assert first.source() != other.source()
    assert first.name == "fuzz_3_5"


def test_every_feature_is_drawn() -> None:
    drawn: Counter[str] = Counter()
    for number in range(features.COMPLETE_FROM):
        drawn += kernel.write(SEED, number).drawn
    assert features.missing(drawn) == []


def test_a_feature_that_is_never_drawn_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "COMPLETE_FROM", 1)
    monkeypatch.setattr(
        run, "_outcomes", lambda *_: (o for o in [run.Outcome(kernel.write(SEED, 0))])
    )
    report, failed, _ = run.run(1, SEED)
    assert (report.passed, report.names, failed) == (1, ["coverage"], [])
    assert report.reasons["coverage"].startswith("never drawn: ")


def test_the_kernels_are_well_defined(sample: list[run.Outcome]) -> None:
    """Compiled so that whatever C++ leaves undefined ends the process."""
    kernels = [kernel.write(SEED, number) for number in SAMPLE]
    strict = run.on_cpu(kernels, UNDEFINED_TRAPS)
    assert strict == run.on_cpu(kernels)
    assert all(isinstance(outputs, dict) for outputs in strict)


def test_a_failing_kernel_is_kept_as_a_case(sample: list[run.Outcome], tmp_path: Path) -> None:
    path = run.save(sample[0], tmp_path)
    (case,) = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert (case["file"], case["kernel"]) == (path.name, sample[0].kernel.name)
    ((_, read),) = cpu.load_cases(tmp_path)
    assert cpu.run_case(tmp_path, read) == case["expect"]


def test_the_reducer_keeps_what_fails() -> None:
    whole = next(k for k in (kernel.write(2, n) for n in range(99)) if "__shfl_xor" in k.source())
    before = whole.source()
    small = reduce.reduce(whole, lambda k: "__shfl_xor" in k.source())
    assert "__shfl_xor" in small.source()
    assert len(small.source()) < len(before) / 4


def test_a_difference_names_the_element(
    sample: list[run.Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = sample[0].kernel
    expect = {name: list(values) for name, values in (sample[0].expect or {}).items()}
    first = next(iter(expect))
    monkeypatch.setattr(run, "on_machine", lambda *_: (sample[0].expect, Counter()))
    expect[first][1] ^= 1
    outcome = run.check(one, "sparse", expect)
    assert outcome.kind == "differs"
    assert outcome.reason is not None and outcome.reason.startswith(f"{first}[1]: machine ")
