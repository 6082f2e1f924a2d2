"""Residual channels for signals.

Channel 0 is the carrier. A signal lives from the stage that first writes it to its last reader's;
after that its channel can be given to a signal born later, once a neuron has set it to zero. That
neuron is free where the layer already computes max(x, 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from vgpu.circuit.form import Form, Signal, as_form
from vgpu.circuit.netlist import CircuitError, Netlist, Neuron

CARRIER = 0


def allocate(netlist: Netlist, hidden: int) -> int:
    """Give every signal a channel below `hidden`; the number of channels in use.

    Adds the clearing neurons to the netlist. Raises CircuitError when the signals alive at one
    stage do not fit.
    """
    fresh = list(range(hidden - 1, CARRIER, -1))
    waiting = {s: None for s in netlist.signals if not s.kept}  # a set in order
    born = sorted((s for s in netlist.signals if s.born is not None), key=_birth)
    for birth, signals in groupby(born, key=_birth):
        # What is born at one stage is read later: nothing dies between two births of it.
        dead: Iterator[Signal] | None = None
        for signal in signals:
            if fresh:
                signal.channel = fresh.pop()
                continue
            dead = dead or iter(_dead(netlist, waiting, birth))
            before = next(dead, None)
            if before is None:
                raise CircuitError(f"{signal.name}: more than {hidden - 1} signals alive at once")
            del waiting[before]
            _clear(netlist, before, birth)
            signal.channel = before.channel
    return hidden - 1 - len(fresh)


def _birth(signal: Signal) -> int:
    assert signal.born is not None
    return signal.born


def _dead(netlist: Netlist, waiting: Iterable[Signal], birth: int) -> list[Signal]:
    """Signals whose channels may be had at that stage: those that cost no neuron first, then those
    that died first."""
    dead = [s for s in waiting if s.channel >= 0 and clear_stage(s) <= birth]
    return sorted(dead, key=lambda s: (_clearing(netlist, s, birth)[1], clear_stage(s)))


def clear_stage(signal: Signal) -> int:
    """The first MLP that may set the signal to zero: its last reader's, or a later one."""
    return max(signal.last_read, signal.ready, 0) | 1


def _clearing(netlist: Netlist, signal: Signal, birth: int) -> tuple[int, bool]:
    """The layer to clear in, and whether that costs a neuron."""
    first = clear_stage(signal) // 2
    for layer in range(first, (birth - 1) // 2 + 1):
        if netlist.identity_neuron(layer, signal) is not None:
            return layer, False
    return first, True


def _clear(netlist: Netlist, signal: Signal, birth: int) -> None:
    if signal.lo < 0:
        raise CircuitError(f"{signal.name} can be negative and cannot be cleared")
    layer, _ = _clearing(netlist, signal, birth)
    neuron = netlist.identity_neuron(layer, signal)
    if neuron is None:
        one: Form = as_form(1)
        neuron = Neuron(layer, signal.form(), one, {}, "clear")
        netlist.register(neuron)
    neuron.outs[signal] = neuron.outs.get(signal, 0) - 1
