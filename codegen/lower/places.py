"""From a PTX instruction to the line that a person wrote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import NoReturn

from codegen.errors import CompileError, place, shortened
from codegen.headers import HEADERS, INPUT
from codegen.ptx import ast
from vgpu.program import Source


@dataclass(frozen=True)
class Places:
    """`name` is the user's file. `compiled`: the PTX came out of clang, from that file.

    `files` maps the numbers of `.file` to paths.
    """

    name: str
    compiled: bool
    files: dict[int, str]

    def of(self, i: ast.Instruction, loc: ast.Loc | None, last: ast.Loc | None) -> Source:
        """Where `i` comes from. `loc` is the `.loc` before it; `last` the last one of the user's.

        Code inlined from our headers belongs to the line that called it.
        """
        if loc is None or (loc.line == 0 and last is None):
            if self.compiled:
                return Source(self.name, 0, 0, i.text)
            return Source(self.name, i.position.line, i.position.column, i.text)
        path = self.files.get(loc.file, "")
        if loc.line and not self.is_header(path):
            return Source(self._shown(path), loc.line, loc.column, i.text)
        for file, line, column in loc.calls:
            if not self.is_header(file):
                return Source(self._shown(file), line, column, i.text)
        if last is not None:
            return Source(
                self._shown(self.files.get(last.file, "")), last.line, last.column, i.text
            )
        return Source(self.name, 0, 0, i.text)

    def callers(self, loc: ast.Loc | None, here: Source | None) -> str:
        """`called from file:line:column`, a line each, of the calls that were inlined into."""
        lines = []
        for file, line, column in loc.calls if loc is not None else ():
            where = (self._shown(file), line, column)
            if not self.is_header(file) and (here is None or where != _where(here)):
                lines.append(f"    called from {place(*where, '').rstrip(': ')}")
        return "\n".join(lines)

    def of_function(self, function: ast.Function) -> Source:
        if not self.compiled:
            return Source(self.name, function.position.line, function.position.column)
        # the first line of its body that is the user's
        for statement in function.body or ():
            if isinstance(statement, ast.Loc) and statement.line:
                path = self.files.get(statement.file, "")
                if not self.is_header(path) and not statement.calls:
                    return Source(self._shown(path), statement.line, statement.column)
        return Source(self.name, 0)

    def reject(self, message: str, position: ast.Position) -> NoReturn:
        """Raises the CompileError of a declaration in the PTX."""
        source = self.of_position(position)
        raise CompileError(place(source.file, source.line, source.column, shortened(message)))

    def of_position(self, position: ast.Position) -> Source:
        """Where a declaration of the PTX stands."""
        if self.compiled:
            return Source(self.name, 0)
        return Source(self.name, position.line, position.column)

    def is_header(self, path: str) -> bool:
        return PurePath(path).parent == PurePath(HEADERS)

    def _shown(self, path: str) -> str:
        return self.name if PurePath(path).name == INPUT or not path else path


def _where(source: Source) -> tuple[str, int, int]:
    return source.file, source.line, source.column
