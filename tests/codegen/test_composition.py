"""Calls in calls: what one launch gives goes unchanged into the next."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vgpu
from codegen.catalog import Launch
from codegen.composition import Nested, Outcome, evaluate, launcher
from tests.codegen.kernel_checks import machine
from vgpu import InputError, Program, Run

wide = st.integers(-(2**31), 2**31 - 1)


def call(kernel: str, *args: Any) -> Nested:
    return Nested(kernel, args)


def run(nested: Nested) -> Outcome:
    return evaluate(nested, launcher(machine()))


@settings(max_examples=25, deadline=None)
@given(a=wide, b=wide, c=wide)
def test_sums_and_products(a: int, b: int, c: int) -> None:
    outcome = run(call("sub", call("mul", a, b), c))
    assert (outcome.problem, outcome.result) == (None, a * b - c)
    assert [step.result for step in outcome.steps] == [a * b, a * b - c]
    assert run(call("mod", call("mul", a, b), call("add", c, 2**40))).result == a * b % (c + 2**40)


def test_values_between_keep_their_64_bits() -> None:
    big = 2**62 + 1
    assert run(call("sub", call("add", big, big - 3), big)).result == big - 3
    assert run(call("div", call("mul", 3037000499, -3037000499), -1)).result == 3037000499**2


def test_lists_feed_lists() -> None:
    assert run(call("sum", call("sort", [3, 1, 2]))).result == 6
    assert run(call("sum", [call("mul", 3, 4), 5, call("max", [1, 9])])).result == 26
    assert run(call("count", call("primesbelow", 30))).result == 10
    assert run(call("frombase", call("tobase", 2**40, 7), 7)).result == 2**40
    inner = call("matmul", [[1, 2], [3, 4]], [[5, 6], [7, call("add", 4, 4)]])
    assert run(call("det", inner)).result == 4


def test_an_inner_call_without_a_result_stops_and_is_named() -> None:
    outcome = run(call("sub", call("mul", 2**40, 2**40), call("add", 1, 1)))
    assert outcome.result is None
    assert outcome.problem == ("mul(1099511627776, 1099511627776): the result does not fit 64 bits")
    assert [step.call.kernel for step in outcome.steps] == ["mul"]


def test_the_outer_call_without_a_result_is_not_named_twice() -> None:
    assert run(call("div", call("add", 1, 2), call("sub", 3, 3))).problem == "division by zero"
    assert run(call("div", 1, 0)).problem == "division by zero"


def test_arguments_that_do_not_fit_are_a_problem() -> None:
    outcome = run(call("add", call("sum", 5), 1))
    assert outcome.problem == "sum(5): a must be a list, not 5"
    assert run(call("dot", call("sort", [1, 2]), [1])).problem == (
        "the length of a (2) and the length of b (1) must be equal"
    )


def test_an_unknown_kernel_is_an_error() -> None:
    with pytest.raises(InputError, match="no prebuilt kernel is called sine"):
        run(call("add", call("sine", 1), 2))


def test_figures_are_what_the_machine_gave() -> None:
    """A machine that lies is believed: nothing here computes."""

    def lies(program: Program, launch: Launch) -> Run:
        outputs = {name: [7] * count for name, count in launch.outputs.items()}
        return Run(program.kernel, (1, 1, 1), (1, 1, 1), "lies", outputs | {"status": [0]})

    outcome = evaluate(call("add", call("mul", 2, 2), 1), lies)
    assert [step.result for step in outcome.steps] == [7, 7]
    assert str(outcome.steps[1].call) == "add(7, 1)"


def test_a_call_is_shown_as_it_was_made() -> None:
    nested = call("sum", [call("mul", 3, 4), 5], "0xff")
    assert str(nested) == "sum([mul(3, 4), 5], 0xff)"


def test_the_network_runs_compositions() -> None:
    outcome = evaluate(call("sub", call("mul", 99999, 88888), 7), launcher(vgpu.Machine()))
    assert outcome.result == 99999 * 88888 - 7
