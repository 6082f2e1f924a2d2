"""The integer types that kernels compute with."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final


@dataclass(frozen=True)
class Type:
    """An integer type. `promoted` is the unsigned type in which its arithmetic may wrap."""

    name: str
    c: str
    bits: int
    signed: bool

    @property
    def promoted(self) -> str:
        return "unsigned long long" if self.bits == 64 else "unsigned"

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - self.signed)) - 1


_ALL: Final = (
    Type("i8", "signed char", 8, True), Type("u8", "unsigned char", 8, False),
    Type("i16", "short", 16, True), Type("u16", "unsigned short", 16, False),
    Type("i32", "int", 32, True), Type("u32", "unsigned", 32, False),
    Type("i64", "long long", 64, True), Type("u64", "unsigned long long", 64, False),
)  # fmt: skip
TYPES: Final = {type.name: type for type in _ALL}
NARROW: Final = ("i8", "u8", "i16", "u16")
VECTORS: Final = {
    "i8": "char4", "u8": "uchar4", "i16": "short4", "u16": "ushort4", "i32": "int4",
    "u32": "uint4", "i64": "longlong2", "u64": "ulonglong2",
}  # fmt: skip
WIDE: Final = ("i32", "u32", "i64", "u64")


def value(type: Type, random: Random) -> int:
    """A value of the type: corners, small numbers and any numbers, a third each."""
    kind = random.randrange(3)
    if kind == 0:
        corners = [0, 1, 2, type.high, type.high - 1, type.low, type.low + type.signed]
        corners += [-1, -2] if type.signed else []
        corners += [1 << random.randrange(type.bits - type.signed)]
        return random.choice(corners)
    if kind == 1:
        return random.randint(max(type.low, -20), min(type.high, 20))
    return random.randint(type.low, type.high)


def literal(type: Type, number: int) -> str:
    """The number as C source, an expression of exactly this type."""
    suffix = {"u32": "u", "i64": "ll", "u64": "ull"}.get(type.name, "")
    if number == type.low and type.name in ("i32", "i64"):
        return f"(-{type.high}{suffix} - 1)"
    text = f"{number}{suffix}" if number >= 0 else f"({number}{suffix})"
    return text if type.name in WIDE else f"({type.c}){text}"
