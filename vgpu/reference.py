"""Writes docs/isa.md and the drawing of the circuit from the code: `python -m vgpu.reference`."""

from __future__ import annotations

import sys
from pathlib import Path

from vgpu import isa
from vgpu.blocks import build
from vgpu.circuit.draw import as_markdown, as_svg
from vgpu.circuit.emit import emit
from vgpu.geometry import DEFAULT
from vgpu.word import FAULTS, layout

HEAD = """# The instruction set

This page is written by `python -m vgpu.reference` from the tables that the encoder, the assembler,
the interpreter and the circuit read.

A block has up to {threads} threads in warps of {lanes}; every thread has its own program counter,
{registers} registers of {width} bits and {predicates} predicates. A program has up to
{instructions:,} instructions; the memory is {memory:,} bytes, little-endian, one for all address
spaces.
"""
NOTES = """
An instruction written `@p0` or `@!p0` executes only where the predicate holds; where it does not,
the thread goes on to the next one. Operand b is a register or a 32-bit immediate; operand a may be
`rz`, which reads as 0, in opcodes below 64 that take one.
"""


def isa_page() -> str:
    g = DEFAULT
    parts = [
        HEAD.format(
            threads=g.threads, lanes=g.lanes, registers=g.registers, width=g.width,
            predicates=g.predicates, instructions=g.instructions, memory=g.memory_bytes,
        ),
        NOTES,
        "\n## Instructions\n\n| code | instruction | operands | meaning |\n|---:|---|---|---|\n",
    ]  # fmt: skip
    for op in sorted(isa.OPS.values(), key=lambda o: o.code):
        doc = op.doc.replace("|", "\\|")
        parts.append(
            f"| 0x{op.code:02x} | `{op.name}` | `{op.form.replace(',', ', ')}` | {doc} |\n"
        )
    parts.append(
        "\nOperands: d destination register, p destination predicate, w carry-out predicate, "
        "a b c sources, q r source predicates, k truth table, s special register, [a+i] address.\n"
        "\n## Encoding\n\n| bits | field | meaning |\n|---|---|---|\n"
    )
    for field in isa.FIELDS.values():
        parts.append(
            f"| {field.low + field.width - 1}:{field.low} | {field.name} | {field.doc} |\n"
        )
    parts.append("\n## Special registers\n\n| index | name | |\n|---:|---|---|\n")
    for name, index in sorted(isa.SPECIALS.items(), key=lambda item: item[1]):
        own = "of the thread" if index & isa.SPECIAL_PER_THREAD else "of the block"
        parts.append(f"| 0x{index:02x} | `{name}` | {own} |\n")
    parts.append("\n## Words\n\n| bits | field |\n|---|---|\n")
    words = layout(g)
    for name, width in words.widths.items():
        low = words.offsets[name]
        parts.append(f"| {low + width - 1}:{low} | {name} |\n")
    listed = "; ".join(f"`{name}` {text}" for name, text in FAULTS.items())
    parts.append(f"\nFaults are bits of the word, raised by the network: {listed}.\n")
    return "".join(parts)


def circuit_pages() -> tuple[str, str]:
    """docs/circuit.md and docs/circuit.svg."""
    netlist = build(DEFAULT)
    network = emit(netlist, DEFAULT.hidden)
    page = (
        "# The circuit by layer\n\nWritten by `python -m vgpu.reference`.\n\n"
        "![neurons by layer and block](circuit.svg)\n\n"
        f"{len(network.layers)} layers, {network.neurons:,} neurons, {network.nonzeros:,} non-zero "
        f"weights, {network.channels:,} channels of a residual stream of {network.hidden:,}.\n\n"
    )
    return page + as_markdown(netlist), as_svg(netlist)


def pages() -> dict[str, str]:
    """File name in docs/ → contents."""
    circuit, drawing = circuit_pages()
    return {"isa.md": isa_page(), "circuit.md": circuit, "circuit.svg": drawing}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs")
