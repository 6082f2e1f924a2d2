"""Names and element types of a kernel's parameters.

PTX numbers a kernel's parameters and keeps no types. clang's syntax tree has both; when there
is only PTX, the mangled name still tells the types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from codegen import mangling

# C++ spelling → element type, where pointers have 64 bits
_C_TYPES: Final = {
    "bool": "u8", "char": "i8", "signed char": "i8", "unsigned char": "u8",
    "short": "i16", "unsigned short": "u16", "int": "i32", "unsigned int": "u32",
    "long": "i64", "unsigned long": "u64", "long long": "i64", "unsigned long long": "u64",
    "float": "f32",
    "int8_t": "i8", "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32",
    "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "size_t": "u64", "uchar": "u8",
    "ushort": "u16", "uint": "u32", "ulong": "u64", "unsigned": "u32", "long int": "i64",
    "long unsigned int": "u64", "unsigned long int": "u64", "long long int": "i64",
    "unsigned long long int": "u64", "unsigned short int": "u16", "short int": "i16",
    "ptrdiff_t": "i64", "signed": "i32", "signed int": "i32",
}  # fmt: skip
_FUNCTIONS: Final = ("FunctionDecl", "CXXMethodDecl")  # a kernel may be static in a class
_AS_POINTER: Final = ("long", "unsigned long", "size_t", "ulong", "ptrdiff_t")
_VECTOR: Final = re.compile(r"^(char|uchar|short|ushort|int|uint|longlong|ulonglong|float)[1-4]$")
_VECTOR_BASE: Final = {
    "char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32",
    "longlong": "i64", "ulonglong": "u64", "float": "f32",
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """`type` is the element type (see vgpu.program.Param), None when it has none."""

    name: str
    pointer: bool
    type: str | None


def base_name(kernel: str) -> str:
    """`dot` of `_Z3dotPKiS0_Pii`, without namespace and template arguments."""
    return mangling.demangle(kernel).name.split("<")[0].split("::")[-1]


def from_declarations(dump: str, kernel: str, bits: int = 64) -> tuple[Parameter, ...] | None:
    """Parameters of the kernel whose mangled name is `kernel`, from clang's JSON, or None.

    Our headers have functions and templates of the same name (`max`, `abs`): only a declaration
    that is `__global__` counts.
    """
    base, pattern = base_name(kernel), None
    for declaration in _documents(dump):
        for node in _walk(declaration):
            inner = [n for n in node.get("inner", ()) if isinstance(n, dict)]
            if node.get("kind") not in _FUNCTIONS or not _is_kernel(inner):
                continue
            found = [n for n in inner if n.get("kind") == "ParmVarDecl"]
            described = tuple(_parameter(n, position, bits) for position, n in enumerate(found))
            if node.get("mangledName", node.get("name")) == kernel:
                return described
            if node.get("name") == base and "mangledName" not in node:
                pattern = described  # a template: its instances have its names
    return pattern


def _is_kernel(inner: list[dict[str, Any]]) -> bool:
    return any(n.get("kind") == "CUDAGlobalAttr" for n in inner)


def from_mangled(kernel: str, bits: int = 64) -> tuple[tuple[bool, str | None], ...] | None:
    """(is a pointer, element type) of each parameter, as far as the mangled name tells. `bits`:
    of a pointer."""
    return mangling.demangle(kernel, bits).parameters


def _documents(dump: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    at = dump.find("{")
    while at >= 0:
        document, end = decoder.raw_decode(dump, at)
        yield document
        at = dump.find("{", end)


def _walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(n for n in reversed(top.get("inner", ())) if isinstance(n, dict))


def _parameter(node: dict[str, Any], position: int, bits: int) -> Parameter:
    spelled = node["type"]
    text = spelled.get("desugaredQualType", spelled["qualType"])
    pointer = "*" in text or "&" in text or "[" in text
    return Parameter(node.get("name", f"param_{position}"), pointer, element_type(text, bits))


def element_type(text: str, bits: int = 64) -> str | None:
    """`i32` of `const int *__restrict`; None for a structure, a double or a void. `bits`: of a
    pointer, and so of a `long`."""
    words = re.sub(r"\b(const|volatile|__restrict|restrict|struct)\b|[*&()]|\[\d*\]", " ", text)
    name = " ".join(words.split())
    vector = _VECTOR.match(name)
    if vector:
        return _VECTOR_BASE[vector.group(1)]
    found = _C_TYPES.get(name)
    if found and bits == 32 and name in _AS_POINTER:
        return f"{found[0]}32"
    return found
