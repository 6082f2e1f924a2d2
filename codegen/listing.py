"""A program as text that a person can read: assembler, labels, and the lines it came from."""

from __future__ import annotations

from vgpu import isa
from vgpu.asm import format_instruction
from vgpu.program import Program


def show_asm(program: Program) -> str:
    """The program's instructions, each group after the source line that it came from.

    `vgpu.asm.assemble` gives the program's words back.
    """
    code = [isa.decode(word) for word in program.code]
    targets = sorted({i.b for i in code if i is not None and i.op == "bra" and i.bimm})
    labels = {target: f"L{n}" for n, target in enumerate(targets)}
    lines = [f"// kernel {program.kernel}({', '.join(p.name for p in program.params)})"]
    last: tuple[str, int] | None = None
    for at, instruction in enumerate(code):
        if at in labels:
            lines.append(f"{labels[at]}:")
        source = program.source[at] if at < len(program.source) else None
        if source is not None and (source.file, source.line) != last:
            last = (source.file, source.line)
            lines.append(f"    // {source.file}:{source.line}")
        word = f".word 0x{program.code[at]:016x}"
        text = word if instruction is None else format_instruction(instruction, labels)
        lines.append(f"    {text:<36}// {at}")
    return "\n".join(lines) + "\n"


def show_stats(program: Program) -> dict[str, int]:
    """Instructions, registers, spills and memory of the program."""
    return dict(program.stats)
