"""Removes what no output depends on: dead signals, and neurons that only wrote those."""

from __future__ import annotations

from vgpu.circuit.form import EMBED, Form, Signal
from vgpu.circuit.netlist import Netlist


def prune(netlist: Netlist) -> None:
    """Drop dead writes and recompute when every signal is last read."""
    live: set[Signal] = {s for form in netlist.outputs.values() for s in form.terms}
    for signal in netlist.signals:
        signal.last_read = EMBED

    def read(form: Form, stage: int) -> None:
        for signal in form.terms:
            live.add(signal)
            signal.last_read = max(signal.last_read, stage)

    for index in reversed(range(len(netlist.layers))):
        layer = netlist.layers[index]
        for neuron in layer.neurons:
            neuron.outs = {s: w for s, w in neuron.outs.items() if w and s in live}
        layer.neurons = [neuron for neuron in layer.neurons if neuron.outs]
        for neuron in layer.neurons:
            read(neuron.gate, 2 * index + 1)
            read(neuron.up, 2 * index + 1)
        if layer.mixer is not None:
            for component in layer.mixer.components():
                component.outs = {s: w for s, w in component.outs.items() if s in live}
            for form in layer.mixer.forms():
                read(form, 2 * index)
    netlist.signals = [s for s in netlist.signals if s in live or s in netlist.inputs]
    netlist.index_neurons()
