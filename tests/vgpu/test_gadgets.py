"""Gadget laws, by integer simulation of the netlist: exhaustive where the range allows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from vgpu.circuit.carries import carries, sum_bits
from vgpu.circuit.emit import emit
from vgpu.circuit.form import Signal, number, total
from vgpu.circuit.netlist import CircuitError, Netlist
from vgpu.circuit.simulate import simulate


@pytest.mark.parametrize("bound", [1, 2, 7, 33])
def test_step_is_the_comparison_for_every_value_and_threshold(bound: int) -> None:
    n = Netlist()
    x = n.input("x", bound)
    for t in range(1, bound + 1):
        n.output(f"{t}", n.step(f"s{t}", x, t))
    values = np.arange(bound + 1)
    out = simulate(n, {"x": values})
    for t in range(1, bound + 1):
        assert np.array_equal(out[f"{t}"], (values >= t).astype(int))


def test_lookup_gives_any_function_with_shared_hinges() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        top = int(rng.integers(2, 40))
        tables = [[0, *rng.integers(-9, 10, top).tolist()] for _ in range(3)]
        n = Netlist()
        x = n.input("x", top)
        targets = [n.signal(f"t{i}", -9, 9) for i in range(3)]
        n.lookup(x, dict(zip(targets, tables, strict=True)))
        for i, target in enumerate(targets):
            n.output(f"{i}", target)
        out = simulate(n, {"x": np.arange(top + 1)})
        assert len(n.layers[0].neurons) <= top
        for i, table in enumerate(tables):
            assert out[f"{i}"].tolist() == table


@pytest.mark.parametrize("count", [1, 2, 5, 7])
def test_all_of_is_and(count: int) -> None:
    n = Netlist()
    bits = [n.input(f"b{i}") for i in range(count)]
    n.output("and", n.all_of("and", *bits))
    samples = np.array(list(itertools.product([0, 1], repeat=count)))
    out = simulate(n, {f"b{i}": samples[:, i] for i in range(count)})
    assert np.array_equal(out["and"], samples.all(axis=1).astype(int))
    assert len(n.layers[0].neurons) == 1


@pytest.mark.parametrize("width", [1, 3, 8, 9, 11])
@pytest.mark.parametrize("carry_in", [0, 1])
def test_carry_look_ahead_adds(width: int, carry_in: int) -> None:
    rng = np.random.default_rng(width)
    n = Netlist()
    columns = [n.input(f"x{i}", 2) for i in range(width)]
    carry = n.input("carry")
    into, _ = carries(n, "sum", columns, carry)
    for i, bit in enumerate([*sum_bits(columns, into), into[-1]]):
        n.output(f"{i}", bit)
    samples = (
        np.array(list(itertools.product(range(3), repeat=width)))
        if width <= 8
        else rng.integers(0, 3, (20000, width))
    )
    inputs = {f"x{i}": samples[:, i] for i in range(width)}
    out = simulate(n, {**inputs, "carry": np.full(len(samples), carry_in)})
    want = samples @ (1 << np.arange(width)) + carry_in
    # The last carry saturates at 1: compare the digits below it and whether anything is left.
    digits = sum(out[f"{i}"] << i for i in range(width))
    assert np.array_equal(digits, want % (1 << width))
    assert np.array_equal(out[f"{width}"], (want >> width > 0).astype(int))
    assert len(n.layers) <= 2


def test_a_signal_cannot_be_written_after_it_was_read() -> None:
    n = Netlist()
    x = n.input("x")
    early = n.all_of("early", x)
    n.all_of("reader", early)
    with pytest.raises(CircuitError, match="early is written after it was read"):
        n.neuron(x, {early: 1})


def test_what_is_not_exact_in_fp32_is_rejected() -> None:
    n = Netlist()
    x = n.input("x", 1 << 20)
    with pytest.raises(CircuitError, match="not exact in fp32"):
        n.neuron(x, {n.signal("y"): 1}, 1 << 10)


def test_simulation_catches_a_broken_promise() -> None:
    n = Netlist()
    x, y = n.input("x"), n.input("y")
    n.output("sum", (x + y).bounded(0, 1))
    with pytest.raises(CircuitError, match="leaves"):
        simulate(n, {"x": [1], "y": [1]})


def test_channels_are_reused_and_too_many_are_refused() -> None:
    def chain(count: int) -> Netlist:
        n = Netlist()
        at: list[Signal] = [n.input(f"x{i}") for i in range(6)]
        for layer in range(count):
            at = [n.all_of(f"{layer}.{i}", s) for i, s in enumerate(at)]
        for i, s in enumerate(at):
            n.output(f"{i}", s)
        return n

    assert emit(chain(5), 16).channels <= 15
    with pytest.raises(CircuitError, match="more than 3 signals alive"):
        emit(chain(2), 4)


def test_forms_know_their_range() -> None:
    n = Netlist()
    bits = [n.input(f"b{i}") for i in range(4)]
    assert (number(bits).lo, number(bits).hi) == (0, 15)
    assert (total(bits) - 2).bounded(0, 1).hi == 1
    assert ((total(bits) - 2).bounded(0, 1) - 1).hi == 0
    assert (-number(bits)).lo == -15


def test_one_entry_a_weight_when_a_channel_is_cleared_and_reused_in_one_layer() -> None:
    n = Netlist()
    at: list[Signal] = [n.input(f"x{i}") for i in range(6)]
    for layer in range(5):
        at = [n.all_of(f"{layer}.{i}", s) for i, s in enumerate(at)]
    for i, s in enumerate(at):
        n.output(f"{i}", s)
    for weights in emit(n, 16).layers:
        for name, matrix in weights.matrices.items():
            places = set(zip(matrix.row.tolist(), matrix.column.tolist(), strict=True))
            assert len(places) == matrix.nonzeros, name


def test_an_input_that_nothing_reads_gives_its_channel_up_in_the_first_layer() -> None:
    n = Netlist()
    idle = [n.input(f"idle{i}") for i in range(8)]
    kept = [n.input(f"x{i}") for i in range(7)]
    for i, s in enumerate([*kept, *(n.all_of(f"copy{i}", s) for i, s in enumerate(kept))]):
        n.output(f"{i}", s)
    emit(n, 16)
    cleared = {s for layer in n.layers for neuron in layer.neurons for s in neuron.outs} & set(idle)
    in_the_first = {s for neuron in n.layers[0].neurons for s in neuron.outs}
    assert cleared and cleared <= in_the_first
