"""Programs drawn and shrunk by hypothesis, and the smallest ones that once showed a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.vgpu import counterexamples as kept
from vgpu.engines import make_engine
from vgpu.isa import Instruction
from vgpu.verify_together import Together

FILES = sorted(kept.FOLDER.glob("*.asm"))


@pytest.fixture(scope="module")
def two() -> Together:
    return Together([make_engine("interpreter"), make_engine("sparse")])


@settings(
    max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(drawn=kept.programs)
def test_any_few_instructions_are_the_same_on_the_network(
    two: Together, drawn: tuple[int, list[Instruction]]
) -> None:
    assert kept.difference(*drawn, two) is None


def test_there_are_counterexamples() -> None:
    assert len(FILES) >= 20


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_kept_counterexample(path: Path, two: Together) -> None:
    assert kept.difference(*kept.load(path), two) is None


def test_kept_counterexamples_on_the_dense_engine() -> None:
    three = Together([make_engine(name) for name in ("interpreter", "sparse", "dense")])
    for path in FILES[::4]:
        assert kept.difference(*kept.load(path), three) is None, path.stem
