"""The netlist: neurons and memories over signals, each in the earliest layer it can be in.

One SwiGLU neuron computes `silu(S * gate) * up * 1/S`. For an integer gate and S = 128 that is
exactly `max(gate, 0) * up` in fp32: silu(x) is x for x >= 18, -0.0 for x <= -104 and 0 at 0, and
powers of two change no digits. Everything else is built from that one fact:

    hinge     max(f, 0)
    step      [f >= n]          = max(f - n + 1, 0) - max(f - n, 0)
    all_of    every literal 1   = max(sum - count + 1, 0)
    select    cond * data       = max(cond, 0) * data
    lookup    any function of f = a sum of hinges, one where its slope changes; all outputs
                                  of one form share the hinges
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from vgpu.circuit.form import EMBED, Form, Operand, Signal, as_form, literal, total
from vgpu.circuit.memory import Mixer

EXACT: Final = 1 << 24  # integers up to here are exact in fp32


class CircuitError(ValueError):
    """The circuit cannot be built exactly: the message names the signals."""


@dataclass(eq=False)
class Neuron:
    """`max(gate, 0) * up`, added to each target with its integer weight.

    Blocks share neurons: `block` made it first, `parts` tells what each adds to each target.
    """

    layer: int
    gate: Form
    up: Form
    outs: dict[Signal, int]
    block: str
    parts: dict[tuple[Signal, str], int] = field(default_factory=dict)


@dataclass
class Layer:
    mixer: Mixer | None = None
    neurons: list[Neuron] = field(default_factory=list)


class Netlist:
    """A circuit under construction. Gadgets read signals that are complete and write new ones.

    Writing to a signal after something has read it is an error: the reader would have seen only
    a part of the sum.
    """

    def __init__(self) -> None:
        self.inputs: list[Signal] = []
        self.signals: list[Signal] = []
        self.layers: list[Layer] = []
        self.outputs: dict[str, Form] = {}
        self._neurons: dict[tuple[object, ...], Neuron] = {}
        self._identities: dict[tuple[int, Signal], Neuron] = {}
        self._block = ""

    def block(self, name: str) -> None:
        """Names the part of the machine that the following gadgets belong to."""
        self._block = name

    def input(self, name: str, hi: int = 1) -> Signal:
        signal = Signal(name, 0, hi)
        signal.born = EMBED
        self.inputs.append(signal)
        self.signals.append(signal)
        return signal

    def signal(self, name: str, lo: int = 0, hi: int = 1) -> Signal:
        """A signal to be written by gadgets; a sum of several writers must stay in [lo, hi]."""
        signal = Signal(name, lo, hi)
        self.signals.append(signal)
        return signal

    def output(self, name: str, form: Operand) -> None:
        """A bit that is read from the network after its last layer."""
        form = as_form(form)
        for signal in form.terms:
            signal.sealed = signal.kept = True
        self.outputs[name] = form

    # Stages

    def layer(self, index: int) -> Layer:
        while len(self.layers) <= index:
            self.layers.append(Layer())
        return self.layers[index]

    def read(self, form: Form, stage: int) -> None:
        """Note a reader. A signal that nothing writes is 0 (small machines have such)."""
        for signal in form.terms:
            signal.sealed = True
            signal.last_read = max(signal.last_read, stage)

    def write(self, signal: Signal, stage: int) -> None:
        if signal.sealed:
            raise CircuitError(f"{signal.name} is written after it was read")
        signal.born = stage if signal.born is None else min(signal.born, stage)
        signal.ready = max(signal.ready, stage)

    def add_mixer(self, mixer: Mixer) -> int:
        """Place a token mixer in the first layer after its inputs that has none; its layer."""
        index = (mixer.ready // 2) + 1 if mixer.ready >= 0 else 0
        while self.layer(index).mixer is not None:
            index += 1
        self.layer(index).mixer = mixer
        for form in mixer.forms():
            self.read(form, 2 * index)
        for signal in mixer.targets():
            self.write(signal, 2 * index)
        return index

    # Gadgets

    def neuron(
        self,
        gate: Operand,
        outs: Mapping[Signal, int],
        up: Operand = 1,
        after: int = EMBED,
    ) -> None:
        """`max(gate, 0) * up` added to every target of `outs` (signal → weight).

        `after` is a stage that the neuron must follow although it reads nothing from it.
        """
        gate, up = as_form(gate), as_form(up)
        outs = {signal: weight for signal, weight in outs.items() if weight}
        if not outs or gate.hi <= 0 or (up.lo == up.hi == 0):
            return
        self._check(gate, up)
        layer = (max(gate.ready, up.ready, after) + 1) // 2
        stage = 2 * layer + 1
        for signal in outs:
            self.write(signal, stage)
        self.read(gate, stage)
        self.read(up, stage)
        key = (layer, gate.key, up.key)
        known = self._neurons.get(key)
        if known is None:
            known = Neuron(layer, gate, up, {}, self._block)
            self.register(known)
        for signal, weight in outs.items():
            known.outs[signal] = known.outs.get(signal, 0) + weight
            part = signal, self._block
            known.parts[part] = known.parts.get(part, 0) + weight

    def identity_neuron(self, layer: int, signal: Signal) -> Neuron | None:
        """The neuron of that layer that computes max(signal, 0), if there is one."""
        return self._identities.get((layer, signal))

    def register(self, neuron: Neuron) -> None:
        """Add a neuron to a given layer; the allocator's way to clear a channel."""
        self._index(neuron)
        self.layer(neuron.layer).neurons.append(neuron)

    def index_neurons(self) -> None:
        """Forget the neurons that a pass over the layers has removed."""
        self._neurons, self._identities = {}, {}
        for layer in self.layers:
            for neuron in layer.neurons:
                self._index(neuron)

    def _index(self, neuron: Neuron) -> None:
        gate, up = neuron.gate, neuron.up
        self._neurons[neuron.layer, gate.key, up.key] = neuron
        if up.const == 1 and not up.terms and not gate.const and list(gate.terms.values()) == [1]:
            self._identities[neuron.layer, next(iter(gate.terms))] = neuron

    def _check(self, gate: Form, up: Form) -> None:
        product = max(gate.hi, 0) * max(abs(up.lo), abs(up.hi))
        if max(gate.magnitude, up.magnitude, product) >= EXACT:
            raise CircuitError(f"not exact in fp32: max({gate}, 0) * ({up})")

    def _as_outs(self, target: Signal | Mapping[Signal, int]) -> Mapping[Signal, int]:
        return {target: 1} if isinstance(target, Signal) else target

    def step_into(self, target: Signal | Mapping[Signal, int], form: Operand, n: int) -> None:
        """Add [form >= n] to the target."""
        form, outs = as_form(form), self._as_outs(target)
        if n > form.hi:
            return
        if n <= form.lo:
            self.neuron(1, outs, after=form.ready)
            return
        self.neuron(form - (n - 1), outs)
        if form.hi > n:
            self.neuron(form - n, {s: -w for s, w in outs.items()})

    def step(self, name: str, form: Operand, n: int) -> Signal:
        """A new signal [form >= n]."""
        signal = self.signal(name)
        self.step_into(signal, form, n)
        return signal

    def all_into(
        self, target: Signal | Mapping[Signal, int], literals: Iterable[Operand], up: Operand = 1
    ) -> None:
        """Add `up` to the target when every literal (a 0/1 form) is 1."""
        parts = [as_form(part) for part in literals]
        gate = (total(parts) - (len(parts) - 1)).bounded(-EXACT, 1)
        self.neuron(gate, self._as_outs(target), up)

    def all_of(self, name: str, *literals: Operand) -> Signal:
        """A new signal: the AND of 0/1 forms, in one neuron."""
        signal = self.signal(name)
        self.all_into(signal, literals)
        return signal

    def select_into(self, target: Signal, cond: Operand, data: Operand) -> None:
        """Add `data` to the target when the 0/1 form `cond` is 1 (at most 1, 0 or less is off)."""
        self.neuron(cond, {target: 1}, data)

    def lookup(
        self, form: Operand, tables: Mapping[Signal, Sequence[int] | Callable[[int], int]]
    ) -> None:
        """Add f(form) to each target; a table is f(lo), …, f(hi) or a function. f(lo) must be 0."""
        form = as_form(form)
        values = {
            signal: [t(x) for x in range(form.lo, form.hi + 1)] if callable(t) else list(t)
            for signal, t in tables.items()
        }
        for signal, row in values.items():
            if row[0] != 0 or len(row) != form.hi - form.lo + 1:
                raise CircuitError(f"lookup into {signal.name}: bad table for {form}")
        for i in range(form.hi - form.lo):
            outs = {}
            for signal, row in values.items():
                slope_before = row[i] - row[i - 1] if i else 0
                outs[signal] = row[i + 1] - row[i] - slope_before
            self.neuron(form - (form.lo + i), outs)

    def one_hot(
        self, name: str, bits: Sequence[Operand], conditions: Sequence[Operand] = ()
    ) -> list[Signal]:
        """2**len(bits) new signals; number v is 1 when the bits spell v and the conditions hold."""
        return [
            self.all_of(
                f"{name}={value}",
                *(literal(bit, value >> i & 1) for i, bit in enumerate(bits)),
                *conditions,
            )
            for value in range(1 << len(bits))
        ]
