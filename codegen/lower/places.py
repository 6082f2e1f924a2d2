"""From a PTX instruction to the line that a person wrote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

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
        if loc.inlined is not None and not self.is_header(loc.inlined[0]):
            file, line, column = loc.inlined
            return Source(self._shown(file), line, column, i.text)
        if last is not None:
            return Source(
                self._shown(self.files.get(last.file, "")), last.line, last.column, i.text
            )
        return Source(self.name, 0, 0, i.text)

    def of_function(self, function: ast.Function) -> Source:
        if self.compiled:
            return Source(self.name, 0)
        return Source(self.name, function.position.line, function.position.column)

    def is_header(self, path: str) -> bool:
        return PurePath(path).parent == PurePath(HEADERS)

    def _shown(self, path: str) -> str:
        return self.name if PurePath(path).name == INPUT or not path else path
