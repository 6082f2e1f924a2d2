"""The circuit by layer, as text or SVG: how many neurons each block has where, and the memories."""

from __future__ import annotations

import textwrap
from collections import Counter
from xml.sax.saxutils import escape

from vgpu.circuit.netlist import Netlist

COLOURS = (
    "#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948", "#b07aa1", "#ff9da7",
    "#9c755f", "#bab0ac", "#86bcb6", "#d37295", "#a0cbe8",
)  # fmt: skip


def table(netlist: Netlist) -> list[tuple[str, dict[str, int]]]:
    """(memories, neurons by block) of every layer. The allocator's neurons count as `clear`."""
    rows = []
    for layer in netlist.layers:
        names = ", ".join(head.name for head in layer.mixer.heads) if layer.mixer else ""
        rows.append((names, dict(Counter(neuron.block for neuron in layer.neurons))))
    return rows


def blocks_of(netlist: Netlist) -> list[str]:
    """The blocks that have neurons, in the order in which they first appear."""
    return list(dict.fromkeys(b for _, counts in table(netlist) for b in counts))


def as_markdown(netlist: Netlist) -> str:
    """A table: one row a layer, one column a block."""
    blocks = blocks_of(netlist)
    lines = [
        "| layer | memories | " + " | ".join(blocks) + " | neurons |",
        "|---|---|" + "---:|" * (len(blocks) + 1),
    ]
    for index, (names, counts) in enumerate(table(netlist)):
        cells = [str(counts.get(block, "")) for block in blocks]
        lines.append(f"| {index} | {names} | {' | '.join(cells)} | {sum(counts.values())} |")
    return "\n".join(lines) + "\n"


def _fitted(names: str, y: int) -> str:
    """A memory's names within its box, in two small lines where they are long."""
    lines = textwrap.wrap(names, 26)
    if len(lines) == 1:
        return f'<text x="38" y="{y + 18}">{escape(names)}</text>'
    lines = textwrap.wrap(names, (len(names) + 8) // 2)
    return "".join(
        f'<text x="36" y="{y + 12 + 11 * i}" font-size="10">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )


def as_svg(netlist: Netlist) -> str:
    """Layers from top to bottom; a box is a memory, a bar's length the neurons of a block."""
    rows, blocks = table(netlist), blocks_of(netlist)
    colour = {block: COLOURS[i % len(COLOURS)] for i, block in enumerate(blocks)}
    widest = max(sum(counts.values()) for _, counts in rows)
    left, scale, step = 230, 620 / widest, 46
    height = step * len(rows) + 90
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for index, (names, counts) in enumerate(rows):
        y = 20 + step * index
        parts.append(f'<text x="10" y="{y + 19}">{index}</text>')
        if names:
            parts.append(
                f'<rect x="30" y="{y}" width="185" height="28" rx="5" fill="#eef" stroke="#446"/>'
                + _fitted(names, y)
            )
        x = float(left)
        for block in blocks:
            width = counts.get(block, 0) * scale
            if not width:
                continue
            label = f"{block}: {counts[block]} neurons"
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="28" '
                f'fill="{colour[block]}"><title>{escape(label)}</title></rect>'
            )
            x += width
        parts.append(f'<text x="{x + 5:.1f}" y="{y + 18}">{sum(counts.values())}</text>')
    for i, block in enumerate(blocks):
        x, y = 30 + 145 * (i % 6), 20 + step * len(rows) + 20 * (i // 6)
        parts.append(
            f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour[block]}"/>'
            f'<text x="{x + 18}" y="{y + 11}">{escape(block)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"
