"""An editor for CUDA, coloured by Pygments: Textual's own colouring has no C."""

from __future__ import annotations

from textual.widgets import TextArea

_NAMES = {  # Pygments' token, by its beginning → the name that a theme of TextArea colours
    "Token.Comment.Preproc": "keyword",
    "Token.Comment": "comment",
    "Token.Keyword.Type": "type",
    "Token.Keyword": "keyword",
    "Token.Literal.Number": "number",
    "Token.Literal.String": "string",
    "Token.Name.Function": "function",
    "Token.Name.Builtin": "type.builtin",
    "Token.Operator": "operator",
}


class CodeEditor(TextArea):
    """A TextArea whose highlights are made anew at each change (a kernel is short)."""

    def __init__(self, text: str, id: str) -> None:
        super().__init__(
            text, id=id, show_line_numbers=True, soft_wrap=False, tab_behavior="indent"
        )

    def on_mount(self) -> None:
        self.theme = "vscode_dark" if self.app.current_theme.dark else "github_light"
        self._build_highlight_map()

    def _build_highlight_map(self) -> None:
        self._line_cache.clear()
        self._highlights.clear()
        text = self.text
        if len(text) > 50_000:  # colours would make typing slow
            return
        row, column = 0, 0  # in bytes, as TextArea counts
        for name, piece in _tokens(text):
            for number, part in enumerate(piece.split("\n")):
                if number:
                    row, column = row + 1, 0
                size = len(part.encode("utf-8", "replace"))
                if name and size:
                    self._highlights[row].append((column, column + size, name))
                column += size


def _tokens(text: str) -> list[tuple[str, str]]:
    """(a theme's name or "", text) of each token."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]

    lexer = get_lexer_by_name("cuda", stripnl=False, ensurenl=False)
    found = []
    for kind, piece in lexer.get_tokens(text):
        said = str(kind)
        found.append((next((n for t, n in _NAMES.items() if said.startswith(t)), ""), piece))
    return found
