"""PTX and the machine's assembler in colours."""

from __future__ import annotations

import re

from textual.content import Content

_PIECE = re.compile(
    r"(?P<comment>//[^\n]*)"
    r"|(?P<string>\"[^\"\n]*\")"
    r"|(?P<label>^[ \t]*[$\w]+:)"
    r"|(?P<guard>@!?%?\w+)"
    r"|(?P<special>%(?:n?tid|n?ctaid|laneid|warpid)\b(?:\.[xyz])?)"
    r"|(?P<register>%\w+|\b[rp]\d+\b)"
    r"|(?P<directive>(?<![\w.])\.[a-z]\w*)"
    r"|(?P<number>(?<![\w$.%])-?(?:0[xfd][\da-fA-F]+|\d+)\b)"
    r"|(?P<opcode>(?<=[\t ])[a-z][a-z0-9]*(?:\.\w+)*(?=[\s;]))",
    re.MULTILINE,
)
_STYLES = {
    "comment": "$text-muted", "string": "$text-success", "label": "bold $text-accent",
    "guard": "$text-warning", "special": "$text-success", "register": "",
    "directive": "$text-secondary", "number": "$text-warning", "opcode": "bold $text-primary",
}  # fmt: skip


def coloured(text: str) -> Content:
    """Tabs become blanks first, so that colours and text stay together."""
    text = text.expandtabs(8)
    parts: list[str | tuple[str, str]] = []
    at = 0
    for piece in _PIECE.finditer(text):
        parts.append(text[at : piece.start()])
        parts.append((piece[0], _STYLES[piece.lastgroup or "register"]))
        at = piece.end()
    parts.append(text[at:])
    return Content.assemble(*parts)
