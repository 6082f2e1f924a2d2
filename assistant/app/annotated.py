"""CUDA with syntax colours, and what the compiler said of it beneath its lines."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.highlight import highlight


def annotated(source: str, problems: Sequence[tuple[int, int, str]], most: int = 0) -> Content:
    """Numbered lines, each problem (line, column, message) beneath its line; those without one
    come first. With `most`, no more lines than that, but all that have a problem."""
    lines = highlight(source.rstrip("\n"), language="cuda").split("\n")
    parts: list[Content] = []
    for line, _, message in problems:
        if not 0 < line <= len(lines):
            parts.append(Content.assemble((f"     ✗ {message}", "bold $text-error")))
    last = max([most, *(line for line, _, _ in problems if line <= len(lines))]) if most else 0
    for number, line_text in enumerate(lines, 1):
        if last and number > last:
            parts.append(Content.assemble((f"     … {len(lines) - last} more lines: F3", "italic")))
            break
        parts.append(Content.assemble((f"{number:>4} ", "$text-muted"), line_text))
        for line, column, message in problems:
            if line == number:
                caret = " " * (4 + max(column, 1)) + "^ "
                parts.append(Content.assemble((f"{caret}{message}", "bold $text-error")))
    return Content("\n").join(parts)
