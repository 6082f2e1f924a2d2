"""The random programs cover the instruction table, end, and are the same for the same seed."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from vgpu import Geometry, Machine, isa
from vgpu.errors import FaultError
from vgpu.fuzz import THREADS, coverage, generate, required
from vgpu.interpreter import Interpreter
from vgpu.isa import Instruction

GEOMETRIES = {
    "default": Geometry(),
    "small": Geometry(width=8, lanes=4, warps=1, registers=8, instructions=64, memory_bytes=64),
    "tiny": Geometry(width=4, lanes=4, warps=1, registers=8, instructions=16, memory_bytes=16),
}


def test_two_hundred_programs_draw_every_row_in_every_form() -> None:
    counts = coverage(generate(200, seed=7))
    assert set(counts) >= required()
    assert min(counts.values()) >= 1
    assert {name for name, _ in counts} >= set(isa.OPS)


def test_a_form_that_is_never_drawn_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vgpu.fuzz.required", lambda: {("add", "guard upside down")})
    with pytest.raises(AssertionError, match="never drawn in 200 programs"):
        generate(200, seed=7)


def test_the_same_seed_gives_the_same_programs() -> None:
    assert generate(20, seed=3) == generate(20, seed=3)
    assert generate(20, seed=3) != generate(20, seed=4)


@pytest.mark.parametrize("which", GEOMETRIES)
def test_every_program_ends_and_only_the_planned_ones_fault(which: str) -> None:
    geometry = GEOMETRIES[which]
    machine = Machine("interpreter", geometry)
    faults = set()
    for program in generate(200, seed=11, geometry=geometry):
        assert 1 <= program.threads <= geometry.threads
        assert len(program.instructions) <= geometry.instructions
        try:
            machine.run(program.program(), {}, block=program.threads, max_passes=3000)
            assert program.fault is None, program.name
        except FaultError as error:
            assert program.fault is not None, f"{program.name}: {error}"
            faults.add(program.fault)
    assert faults == {"misaligned", "outside", "undefined", "trap", "branch"}


def test_wide_and_far_programs_reach_every_lane_and_the_last_instructions() -> None:
    geometry = Geometry()
    programs = generate(200, seed=2)
    assert sum(program.threads <= THREADS for program in programs) >= 180
    assert max(program.threads for program in programs) > geometry.threads * 0.95
    lengths = [len(program.instructions) for program in programs]
    assert geometry.instructions * 0.8 < max(lengths) <= geometry.instructions


def test_programs_encode_and_decode() -> None:
    for program in generate(50, seed=5):
        for given in program.instructions:
            if isinstance(given, Instruction):
                decoded = isa.decode(given.encode())
                assert decoded is not None
                assert decoded.encode() == given.encode()
            else:
                assert isa.decode(given) is None


class Watched(Interpreter):
    """Counts what lanes that meet do."""

    waits = refused = 0

    def _warp(self, op: isa.Op, w: dict[str, int], *rest: Any) -> None:
        super()._warp(op, w, *rest)
        self.waits += w["wait"]

    def _claim(self, w: dict[str, int], address: int) -> bool:
        won = super()._claim(w, address)
        self.refused += not w["odd"] and not won
        return won


def test_lanes_meet_wait_and_are_refused_holds() -> None:
    machine = Machine(engine := Watched())
    seen = {"waits": 0, "refused": 0}
    for program in generate(200, seed=3):
        engine.waits = engine.refused = 0
        with contextlib.suppress(FaultError):
            machine.run(program.program(), {}, block=program.threads)
        for name in seen:
            seen[name] += getattr(engine, name) > 0
    assert seen["waits"] > 40 and seen["refused"] > 8, seen
