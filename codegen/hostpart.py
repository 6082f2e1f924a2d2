"""The host part of a .cu file: what runs on the CPU and is of no use here.

clang checks the whole file, also `main()` and whatever it includes. Where the host part does not
compile without the libraries of the machine it was written for, it is blanked: every place in the
device part stays where it was. The reading is lexical: tokens, and declarations by their braces.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""
    (?P<space>[ \t\r\f\v\n]+|\\\r?\n)
  | (?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\((?:[^)]|\)(?!(?P=mark)"))*(?:\)(?P=mark)")?)
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\(?:.|\n))*"?|'(?:[^'\\\n]|\\.)*'?)
  | (?P<number>\.?\d(?:[eEpP][+-]|'?\w|\.)*)
  | (?P<word>[^\W\d]\w*)
  | (?P<other>.)
    """,
    re.X | re.S,
)
_DIRECTIVE: Final = re.compile(
    r"(?:[^\n\\/]|\\\r?\n|\\.|//(?:[^\n\\]|\\.|\\\n)*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|/)*+", re.S
)
_DEVICE: Final = frozenset(
    "__global__ __device__ __constant__ __shared__ __managed__ __attribute__".split()
)
_DEFINE: Final = re.compile(r"#[ \t]*define[ \t]+(\w+)(.*)", re.S)
_LAUNCH: Final = re.compile(r"([A-Za-z_][\w:]*\s*<[^<>;(){}]*>)\s*<<<")
_TYPE_WORDS: Final = frozenset(("struct", "class", "union", "enum"))


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class HostPart:
    """`device`: the text with the host part blanked. `functions`: names of the host functions.

    `lines`: the lines that hold something blanked. `instances`: templates that it launched, as
    written (`fill<int>`).
    """

    device: str
    functions: tuple[str, ...]
    lines: frozenset[int]
    instances: tuple[str, ...]


@dataclass(frozen=True)
class _Declaration:
    tokens: tuple[Token, ...]
    function: str | None  # its name, when it is the definition of a function

    def has(self, words: frozenset[str]) -> bool:
        return any(t.kind == "word" and t.text in words for t in self.tokens)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of C++ `text`; a preprocessor line is one token of kind "directive"."""
    at, fresh = 0, True
    while at < len(text):
        if fresh and (text[at] == "#" or text.startswith("%:", at)):
            found = _DIRECTIVE.match(text, at)
            yield Token("directive", found.group() if found else text[at], at)
            at = max(at + 1, found.end() if found else 0)
            continue
        match = _TOKEN.match(text, at)
        assert match is not None and match.lastgroup is not None
        kind = "raw" if match["raw"] is not None else match.lastgroup
        yield Token(kind, match.group(), at)
        if kind == "space":
            fresh = fresh or "\n" in match.group()
        elif kind != "comment":
            fresh = False
        at = match.end()


def split(text: str) -> HostPart:
    """Separates the host part of a .cu file. Never raises; what is not understood is kept."""
    found = list(tokens(text))
    device_words = _device_words(found)
    host = [d for d in _declarations(found) if _is_host(d, device_words)]
    blanked = list(text)
    lines: set[int] = set()
    line_of = _Lines(text)
    gone = []
    for declaration in host:
        start, end = declaration.tokens[0].start, declaration.tokens[-1].end
        gone.append(text[start:end])
        lines.update(range(line_of(start), line_of(end - 1) + 1))
        for token in declaration.tokens:
            if token.kind != "directive":
                for at in range(token.start, token.end):
                    if blanked[at] not in "\n\r":
                        blanked[at] = " "
    instances = dict.fromkeys(" ".join(m.split()) for piece in gone for m in _LAUNCH.findall(piece))
    names = tuple(d.function for d in host if d.function)
    return HostPart("".join(blanked), names, frozenset(lines), tuple(instances))


class _Lines:
    """Line numbers of ascending and other offsets."""

    def __init__(self, text: str) -> None:
        self.starts = [m.end() for m in re.finditer("\n", text)]

    def __call__(self, offset: int) -> int:
        return bisect_right(self.starts, offset) + 1


def _device_words(found: list[Token]) -> frozenset[str]:
    """What marks device code: CUDA's words, and the macros that stand for them."""
    macros = {}
    for token in found:
        define = _DEFINE.match(token.text) if token.kind == "directive" else None
        if define:
            macros[define[1]] = set(re.findall(r"\w+", define[2]))
    words = set(_DEVICE)
    for _ in range(3):  # a macro of a macro of a macro
        words |= {name for name, body in macros.items() if body & words}
    return frozenset(words)


def _is_host(declaration: _Declaration, device_words: frozenset[str]) -> bool:
    if declaration.has(device_words):
        return False
    if declaration.function is not None:
        return not declaration.has(frozenset(("constexpr", "consteval")))
    words = [t.text for t in declaration.tokens if t.kind == "word"]
    return "std" in words and words[:2] != ["using", "namespace"]


def _declarations(found: list[Token]) -> Iterator[_Declaration]:
    """The declarations at namespace scope, in order; inside `namespace` and `extern "C"` too."""
    piece: list[Token] = []
    depth = 0  # of any bracket inside the present declaration
    function: str | None = None
    branches: list[int] = []  # the depth at each open #if: both of its branches start there
    for token in found:
        if token.kind == "directive":
            depth = _branch(token.text, depth, branches)
        if token.kind in ("space", "comment") or (token.kind == "directive" and not piece):
            if piece:
                piece.append(token)
            continue
        text = token.text if token.kind == "other" else ""
        if depth == 0 and text == "{":
            if _opens_scope(piece):
                piece = []
                continue
            function = _function_name(piece)
        if depth == 0 and text == "}":
            piece = []  # the end of a namespace
            continue
        piece.append(token)
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        depth = max(depth, 0)
        if depth == 0 and (text == ";" or (text == "}" and function is not None)):
            yield _Declaration(tuple(piece), function)
            piece, function = [], None


def _branch(directive: str, depth: int, branches: list[int]) -> int:
    """The depth of brackets after a preprocessor line."""
    word = directive.lstrip("#%: \t")
    if word.startswith("if"):
        branches.append(depth)
    elif word.startswith("el") and branches:
        return branches[-1]
    elif word.startswith("endif") and branches:
        branches.pop()
    return depth


def _solid(piece: list[Token]) -> list[Token]:
    return [t for t in piece if t.kind not in ("space", "comment", "directive")]


def _opens_scope(piece: list[Token]) -> bool:
    solid = [t.text for t in _solid(piece)]
    if not solid:
        return False
    if solid[0] == "namespace" or solid[:2] == ["inline", "namespace"]:
        return True
    return len(solid) == 2 and solid[0] == "extern" and solid[1].startswith('"')


def _function_name(piece: list[Token]) -> str | None:
    """The name that a head of a definition declares, None when it is not that of a function."""
    solid = _solid(piece)
    depth, name = 0, None
    for at, token in enumerate(solid):
        if token.text == "(" and depth == 0 and name is None and at:
            before = solid[at - 1]
            if before.kind == "word" and before.text != "alignas":
                name = before.text
            elif any(t.text == "operator" for t in solid[max(0, at - 4) : at]):
                name = "operator"
        if depth == 0 and token.text == "=" and name is None:
            return None
        if (
            depth == 0
            and name is None
            and token.text in _TYPE_WORDS
            and "(" not in (t.text for t in solid[at:])
        ):
            return None
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
    return name
