"""The netlist evaluated in integers, layer by layer, without any weights.

Used to test gadgets exhaustively and to check every promised range. It covers neurons only; the
memories' law is tested on the stock layers.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from vgpu.circuit.form import Form, Signal
from vgpu.circuit.netlist import CircuitError, Netlist

Values = npt.NDArray[np.int64]


def simulate(netlist: Netlist, inputs: Mapping[str, npt.ArrayLike]) -> dict[str, Values]:
    """Output name → value, one a sample. `inputs`: name of an input → values.

    Raises CircuitError when a signal or a bounded form leaves its promised range.
    """
    given = {name: np.asarray(v, dtype=np.int64) for name, v in inputs.items()}
    count = max((len(v) for v in given.values()), default=1)
    zero = np.zeros(count, dtype=np.int64)
    values: dict[Signal, Values] = {s: zero for s in netlist.signals}
    values.update({s: given.get(s.name, zero) for s in netlist.inputs})

    def evaluate(form: Form) -> Values:
        result = zero + form.const
        for signal, coef in form.terms.items():
            result = result + coef * values[signal]
        if (result > form.hi).any() or (result < form.lo).any():
            raise CircuitError(
                f"{form} leaves [{form.lo}, {form.hi}]: {result.min()} to {result.max()}"
            )
        return result

    for layer in netlist.layers:
        if layer.mixer is not None:
            raise CircuitError("the integer simulation has no memories")
        added: dict[Signal, Values] = {}
        for neuron in layer.neurons:
            lit = np.maximum(evaluate(neuron.gate), 0) * evaluate(neuron.up)
            for signal, weight in neuron.outs.items():
                added[signal] = added.get(signal, zero) + weight * lit
        for signal, change in added.items():
            values[signal] = values[signal] + change
    return {name: evaluate(form) for name, form in netlist.outputs.items()}
