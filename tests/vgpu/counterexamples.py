"""Small programs drawn and shrunk by hypothesis, and the counter-examples that are kept.

Any list of instructions is a program: what faults or never ends must do so on every engine in the
same pass. `python -m tests.vgpu.counterexamples` plants one wrong weight at a time in every matrix
of every layer, lets hypothesis find the smallest program that shows it, and keeps that program:
together they are a regression test that touches the whole network. A difference that was found in
earnest is kept in the same folder, by hand.
"""

from __future__ import annotations

import dataclasses
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from vgpu import Machine, Program, asm, isa
from vgpu.circuit.emit import Network
from vgpu.engines import Engine
from vgpu.engines.sparse import SparseEngine
from vgpu.errors import BudgetError, FaultError
from vgpu.geometry import DEFAULT
from vgpu.interpreter import Interpreter
from vgpu.isa import Instruction
from vgpu.network import network_for
from vgpu.verify_together import DifferError, Together

FOLDER = Path(__file__).with_name("counterexamples")
BASE, DATA = 16, bytes.fromhex("807fff01ffffffff00000080785634120100000000000000ff7f0080f0e1d2c3")
PASSES = 40
IMMEDIATES = st.one_of(
    st.integers(0, 64),
    st.sampled_from([0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FF00FF, 0x76543210, 0xFFFFFFF0]),
    st.integers(0, isa.MASK32),
)


@st.composite
def instructions(draw: st.DrawFn) -> Instruction:
    """Any row of the table, in any form, on the first registers and predicates."""
    op = isa.OPS[draw(st.sampled_from(sorted(isa.OPS)))]
    register, predicate = st.integers(0, 3), st.integers(0, 1)
    immediate = op.name == "s2r" or draw(st.booleans())
    b = draw(IMMEDIATES if immediate else register)
    if op.name == "s2r":
        b = draw(st.sampled_from(sorted(isa.SPECIALS.values())))
    elif op.name == "plop":
        immediate, b = True, draw(predicate) | draw(st.integers(0, 15)) << 8
    elif "[a+i]" in op.form:
        immediate, b = True, BASE + draw(st.integers(0, len(DATA) - 1))
    elif op.name == "bra" and immediate:
        b = draw(st.integers(0, 12))
    return Instruction(
        op.name,
        rd=draw(register),
        ra=draw(register) if op.reads_q else draw(st.one_of(st.none(), register)),
        b=b,
        bimm=immediate,
        rc=draw(predicate if "w" in op.form.split(",") else register),
        q=draw(predicate) if op.reads_q else 0,
        qneg=draw(st.booleans()) if op.reads_q else False,
        guard=(guard := draw(st.one_of(st.none(), predicate))),
        gneg=guard is not None and draw(st.booleans()),
    )


programs = st.tuples(st.integers(1, 6), st.lists(instructions(), min_size=1, max_size=10))


def difference(threads: int, code: Sequence[Instruction], engines: Together) -> str | None:
    """What differs between the engines when they run it, all memory included; None if nothing."""
    words = tuple(i.encode() for i in (*code, Instruction("exit")))
    end = BASE + len(DATA)
    program = Program("drawn", words, data_base=BASE, data=DATA, shared_base=end)
    machine = Machine(engines)
    try:
        try:
            machine.run(program, {}, block=threads, max_passes=PASSES)
        except (FaultError, BudgetError):
            machine.end = end
        machine.read_memory()
        engines.finish()
    except DifferError as error:
        return str(error)
    return None


def load(path: Path) -> tuple[int, list[Instruction]]:
    """A kept counter-example: its threads (in the first line) and instructions."""
    text = path.read_text(encoding="utf-8")
    threads = int(text.split("threads:", 1)[1].split()[0])
    decoded = [isa.decode(word) for word in asm.assemble(text)]
    return threads, [i for i in decoded if i is not None]


def save(path: Path, threads: int, code: Sequence[Instruction], about: str) -> None:
    lines = [asm.format_instruction(i) for i in code]
    path.write_text("\n".join([f"# threads: {threads}  {about}", *lines, ""]), encoding="utf-8")


def _with_wrong_weight(network: Network, layer: int, matrix: str, at: int) -> Network:
    layers = list(network.layers)
    matrices = dict(layers[layer].matrices)
    values = matrices[matrix].value.copy()
    values[at] *= -1
    matrices[matrix] = dataclasses.replace(matrices[matrix], value=values)
    layers[layer] = dataclasses.replace(layers[layer], matrices=matrices)
    return dataclasses.replace(network, layers=tuple(layers))


def _shrunk(engine: Engine) -> tuple[int, list[Instruction]] | None:
    engines = Together([Interpreter(), engine])
    try:
        return find(
            programs,
            lambda drawn: difference(*drawn, engines) is not None,
            settings=settings(
                max_examples=300,
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate, Phase.shrink],
            ),
            random=random.Random(1),
        )
    except NoSuchExample:
        return None


def main(each: int = 2) -> None:
    """Write the folder anew: `each` wrong weights in every matrix of every layer."""
    network, draw = network_for(DEFAULT), random.Random(5)
    seen: set[str] = set()
    for number, layer in enumerate(network.layers):
        for name in sorted(layer.matrices):
            for _ in range(each if layer.matrices[name].nonzeros else 0):
                at = draw.randrange(layer.matrices[name].nonzeros)
                wrong = SparseEngine(DEFAULT, _with_wrong_weight(network, number, name, at))
                found = _shrunk(wrong)
                text = "" if found is None else "\n".join(map(asm.format_instruction, found[1]))
                print(number, name, at, "not shown" if found is None else text.split("\n"))
                if found is None or text in seen:
                    continue
                seen.add(text)
                kind = name.replace(".", "-").replace("_", "-")
                path = FOLDER / f"layer{number}-{kind}-{len(seen):03}.asm"
                save(path, *found, f"shows a wrong weight in layer {number}, {name}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
