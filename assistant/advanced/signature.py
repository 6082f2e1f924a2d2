"""The head of a kernel: its name and its parameters, as advanced mode fixes them beforehand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vgpu.errors import InputError

OUT = "out"
_HEAD = re.compile(
    r"\s*__global__\s+void\s+(?P<name>[A-Za-z_]\w*)\s*\((?P<params>[^()]*)\)\s*;?\s*"
)
_PARAMETER = re.compile(
    r"\s*(?P<const>const\s+)?(?P<type>(?:unsigned\s+)?(?:long\s+long|int)|unsigned)\s*"
    r"(?P<star>\*)?\s*(?:__restrict__\s+)?(?P<name>[A-Za-z_]\w*)\s*"
)
_TYPES = {
    "int": "i32", "unsigned": "u32", "unsigned int": "u32",
    "long long": "i64", "unsigned long long": "u64",
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """`type` is the C type of the value, or of the elements of an array."""

    name: str
    type: str = "int"
    pointer: bool = False
    const: bool = False

    @property
    def element(self) -> str:
        """The machine's name of `type`: i32, i64, …"""
        return _TYPES[self.type]

    def __str__(self) -> str:
        const = "const " if self.const else ""
        return f"{const}{self.type}{'*' if self.pointer else ''} {self.name}"


@dataclass(frozen=True)
class Signature:
    name: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        return f"__global__ void {self.name}({', '.join(map(str, self.parameters))})"

    @property
    def shape(self) -> tuple[tuple[str, bool], ...]:
        """What can be called alike: (element type, is an array) of each parameter."""
        return tuple((p.element, p.pointer) for p in self.parameters)

    @property
    def arrays(self) -> tuple[Parameter, ...]:
        """The arrays that the kernel reads."""
        return tuple(p for p in self.parameters if p.pointer and p.name != OUT)

    @property
    def scalars(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if not p.pointer)

    @property
    def out(self) -> Parameter:
        return next(p for p in self.parameters if p.name == OUT)

    def named(self, name: str) -> Signature:
        return Signature(name, self.parameters)


def parse(text: str) -> Signature:
    """The signature that `text` is, `__global__ void f(const int* a, int n, int* out)`.

    Raises InputError when it is none, or has no array `out`.
    """
    head = _HEAD.fullmatch(text)
    if head is None:
        raise InputError(f'signature "{text.strip()}": expected __global__ void NAME(…)')
    parameters = []
    for part in head["params"].split(","):
        found = _PARAMETER.fullmatch(part)
        if found is None:
            raise InputError(f'signature of {head["name"]}: cannot read "{part.strip()}"')
        kind = " ".join(found["type"].split())
        parameters.append(
            Parameter(found["name"], kind, found["star"] is not None, bool(found["const"]))
        )
    signature = Signature(head["name"], tuple(parameters))
    if not any(p.name == OUT and p.pointer and not p.const for p in parameters):
        raise InputError(f"signature of {signature.name}: needs an array {OUT}, as in int* {OUT}")
    return signature


def head_of(source: str) -> Signature | None:
    """The signature of the kernel in a source text; None when it is none that can be read."""
    at = source.find("__global__")
    end = source.find("{", at)
    try:
        return parse(source[at:end]) if at >= 0 and end >= 0 else None
    except InputError:
        return None
