"""Reading C++ mangled names (Itanium ABI, section 5.1): the name and the parameter types.

Only what kernels use: nested names, template arguments, pointers, qualifiers, substitutions
and the built-in types. What it cannot read it leaves out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_BUILTIN: Final = {
    "b": ("bool", "u8"), "c": ("char", "i8"), "a": ("signed char", "i8"),
    "h": ("unsigned char", "u8"), "s": ("short", "i16"), "t": ("unsigned short", "u16"),
    "i": ("int", "i32"), "j": ("unsigned int", "u32"), "l": ("long", "i64"),
    "m": ("unsigned long", "u64"), "x": ("long long", "i64"), "y": ("unsigned long long", "u64"),
    "f": ("float", "f32"), "d": ("double", None), "v": ("void", None),
}  # fmt: skip


_NUMBER: Final = re.compile(r"^(-?(?:0[xX][0-9a-fA-F]+|[1-9]\d*|0))[uUlL]*$")


@dataclass(frozen=True)
class Type:
    """`element` is the machine's element type, None for void, structures and the like."""

    text: str
    pointer: bool
    element: str | None


@dataclass(frozen=True)
class Demangled:
    """`name` without parameters (`ns::add<int>`); `parameters` None when they are not known."""

    name: str
    parameters: tuple[tuple[bool, str | None], ...] | None


class _Unknown(Exception):
    pass


class _Reader:
    """`bits` is the size of a pointer, and so of a `long`."""

    def __init__(self, text: str, bits: int) -> None:
        self.text = text
        self.bits = bits
        self.at = 0
        self.substitutions: list[Type] = []
        self.arguments: list[Type] = []

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self, prefix: str) -> bool:
        if self.text.startswith(prefix, self.at):
            self.at += len(prefix)
            return True
        return False

    def identifier(self) -> str:
        start = self.at
        while self.peek().isdigit():
            self.at += 1
        if start == self.at:
            raise _Unknown
        length = int(self.text[start : self.at])
        self.at += length
        if self.at > len(self.text):
            raise _Unknown
        return self.text[self.at - length : self.at]

    def name(self) -> tuple[str, bool]:
        """(name, whether it has template arguments)."""
        parts: list[str] = []
        template = False
        nested = self.take("N")
        while True:
            if self.peek() == "I":
                self.substitutions.append(Type("::".join(parts), False, None))
                self.arguments = self.template_arguments()
                parts[-1] += "<" + ", ".join(a.text for a in self.arguments) + ">"
                template = True
            elif nested and self.take("E"):
                break
            elif self.take("L"):
                continue
            elif self.peek().isdigit():
                if parts and nested:
                    self.substitutions.append(Type("::".join(parts), False, None))
                identifier = self.identifier()
                anonymous = identifier.startswith("_GLOBAL__N")
                parts.append("(anonymous)" if anonymous else identifier)
            else:
                raise _Unknown
            if not nested and self.peek() != "I":
                break
        return "::".join(parts), template

    def template_arguments(self) -> list[Type]:
        self.take("I")
        found: list[Type] = []
        while not self.take("E"):
            if self.take("L"):
                kind = self.type()
                value = ""
                while self.peek() not in ("E", ""):
                    value += self.peek()
                    self.at += 1
                if not self.take("E"):
                    raise _Unknown
                found.append(Type(value.replace("n", "-"), False, kind.element))
            else:
                found.append(self.type())
        return found

    def sequence(self, start: str, known: list[Type]) -> Type:
        digits = ""
        while self.peek() not in ("_", ""):
            digits += self.peek()
            self.at += 1
        if not self.take("_"):
            raise _Unknown
        base = 36 if start == "S" else 10
        index = int(digits, base) + 1 if digits else 0
        if index >= len(known):
            raise _Unknown
        return known[index]

    def type(self) -> Type:
        for prefix in ("P", "R", "O"):
            if self.take(prefix):
                inner = self.type()
                return self.remember(Type(inner.text + " *", True, inner.element))
        for prefix, word in (("K", "const"), ("V", "volatile"), ("r", "__restrict")):
            if self.take(prefix):
                inner = self.type()
                return self.remember(Type(f"{word} {inner.text}", inner.pointer, inner.element))
        if self.take("S"):
            return self.sequence("S", self.substitutions)
        if self.take("T"):
            return self.remember(self.sequence("T", self.arguments))
        if self.take("A"):
            while self.peek().isdigit():
                self.at += 1
            if not self.take("_"):
                raise _Unknown
            inner = self.type()
            return self.remember(Type(inner.text + " []", True, inner.element))
        if self.peek() in _BUILTIN:
            text, element = _BUILTIN[self.peek()]
            if text.endswith("long") and not text.endswith("long long"):
                element = f"{(element or 'i')[0]}{self.bits}"
            self.at += 1
            return Type(text, False, element)
        if self.peek().isdigit() or self.peek() == "N":
            kept = self.arguments
            text, _ = self.name()
            self.arguments = kept
            return self.remember(Type(text, False, None))
        raise _Unknown

    def remember(self, type_: Type) -> Type:
        self.substitutions.append(type_)
        return type_


def demangle(symbol: str, bits: int = 64) -> Demangled:
    """The parts of a mangled name; a name that is not mangled is itself. `bits`: of a pointer."""
    if not symbol.startswith("_Z"):
        return Demangled(symbol, None)
    reader = _Reader(symbol, bits)
    reader.at = 2
    try:
        name, template = reader.name()
    except (_Unknown, IndexError):
        return Demangled(symbol, None)
    try:
        if template:
            reader.type()  # templates are mangled with their return type
        parameters = []
        while reader.at < len(symbol):
            found = reader.type()
            parameters.append((found.pointer, found.element))
    except (_Unknown, IndexError, ValueError):
        return Demangled(name, None)
    if len(parameters) == 1 and parameters[0] == (False, None) and symbol.endswith("v"):
        parameters = []
    return Demangled(name, tuple(parameters))


def canonical_of(symbol: str) -> str:
    """What `canonical` makes of the name that `symbol` stands for."""
    return canonical(demangle(symbol).name)


def canonical(name: str) -> str:
    """One spelling of a name and its template arguments: `fill<u8, 4>` for `fill<unsigned char,4>`
    and for `fill<uint8_t, 4u>`."""
    from codegen.signature import element_type

    head, bracket, rest = name.partition("<")
    if not bracket:
        return name.strip()
    arguments = [" ".join(a.split()) for a in rest.strip().removesuffix(">").split(",")]
    return f"{head.strip()}<{', '.join(_argument(a, element_type(a)) for a in arguments)}>"


def _argument(text: str, element: str | None) -> str:
    if element is not None and "*" not in text and "&" not in text:
        return element
    number = _NUMBER.match(text)
    if number:
        return str(int(number[1], 0)) if number[1] != "0" else "0"
    return {"true": "1", "false": "0"}.get(text, text)
