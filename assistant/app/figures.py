"""Lines that hold what the machine computed, with the figures marked and nothing else."""

from __future__ import annotations

import re

from textual.content import Content

from assistant.app.clean import clean

MARK = "◆"  # stands before what the machine computed, and before nothing else
_FIGURE = re.compile(r"(?P<before>.*?)\*\*(?P<figure>.+?)\*\*(?P<after>.*)", re.DOTALL)
_OUTPUT = re.compile(r"(?P<before>\w+ = )(?P<figure>.+)(?P<after>)", re.DOTALL)


def marked(line: str, *, alone: bool = False) -> Content:
    """`the sum of 2 and 3: ◆ 5 · add(2, 3) · 9 passes`. `alone`: without what follows the figure,
    which the badge says."""
    before, figure, after = _parts(clean(line))
    after = "" if alone else after
    return Content.assemble(
        before, (f"{MARK} {figure}", "bold $text-success"), (after, "$text-muted")
    )


def plain(line: str) -> str:
    """The line as text to copy."""
    before, figure, after = _parts(clean(line))
    return before + figure + after


def _parts(line: str) -> tuple[str, str, str]:
    match = _FIGURE.fullmatch(line) or _OUTPUT.fullmatch(line)
    return (match["before"], match["figure"], match["after"]) if match else ("", line, "")
