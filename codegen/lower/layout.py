"""Where things lie in memory: parameters, static data, shared memory (see vgpu.program)."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NoReturn

from codegen.ptx import ast
from vgpu.program import PARAM_BASE

# where the parts of memory begin; static variables: first `.global`, then `.const`
DATA_BEGIN: Final = "begin of data"
CONST_BEGIN: Final = "begin of constants"
SHARED_BEGIN: Final = "begin of shared memory"
STATIC_SPACES = ("global", "const")


def align(address: int, to: int) -> int:
    return -(-address // to) * to


@dataclass
class Layout:
    """Byte addresses of every variable that the kernel's code names.

    Shared memory starts at `shared_base`; an `.extern .shared` array has the address where the
    launch's dynamic part begins.
    """

    addresses: dict[str, int] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    data_base: int = PARAM_BASE
    data: bytes = b""
    shared_base: int = PARAM_BASE
    shared_bytes: int = 0


def parameter_offsets(params: Iterable[ast.Variable]) -> tuple[dict[str, int], int]:
    """Offsets from PARAM_BASE by name, and the size of the window, both in bytes."""
    offsets: dict[str, int] = {}
    at = 0
    for param in params:
        at = align(at, param.align)
        offsets[param.name] = at
        at += param.size
    return offsets, at


Reject = Callable[[str, ast.Position], NoReturn]


def lay_out(kernel: ast.Function, variables: list[ast.Variable], reject: Reject) -> Layout:
    """Places the parameters of `kernel` and `variables` (static data and shared memory).

    `reject` raises the error of a variable that stands at a position.
    """
    layout = Layout()
    layout.offsets, size = parameter_offsets(kernel.params)
    layout.addresses = {n: PARAM_BASE + o for n, o in layout.offsets.items()}
    static = sorted(
        (v for v in variables if v.space in STATIC_SPACES), key=lambda v: v.space != "global"
    )
    at = layout.data_base = align(PARAM_BASE + size, 8 if static else 4)
    for variable in static:
        if variable.external:
            reject(f"'{variable.name}' is declared but not defined in this file", variable.position)
        at = align(at, variable.align)
        if variable.space == "const":
            layout.addresses.setdefault(CONST_BEGIN, at)
        layout.addresses[variable.name] = at
        at += variable.size
    end = at
    at = layout.shared_base = align(at, 16)
    shared = [v for v in variables if v.space == "shared"]
    for variable in (v for v in shared if not _dynamic(v)):
        at = align(at, variable.align)
        layout.addresses[variable.name] = at
        at += variable.size
    dynamic = [v for v in shared if _dynamic(v)]
    if dynamic:
        at = align(at, max(16, *(v.align for v in dynamic)))
        for variable in dynamic:
            layout.addresses[variable.name] = at
    layout.shared_bytes = at - layout.shared_base
    layout.addresses[DATA_BEGIN] = layout.data_base
    layout.addresses[SHARED_BEGIN] = layout.shared_base
    layout.addresses.setdefault(CONST_BEGIN, layout.shared_base)
    layout.data = _contents(static, layout, end, reject)
    return layout


def single(bits: int) -> int:
    """The float nearest to a double, both as IEEE bits (a literal, as PTX ISA 4.5.2 says)."""
    (value,) = struct.unpack("<d", bits.to_bytes(8, "little"))
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        packed = struct.pack("<f", math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")


def _dynamic(variable: ast.Variable) -> bool:
    return variable.external or (variable.array and variable.count == 0)


def _contents(static: list[ast.Variable], layout: Layout, end: int, reject: Reject) -> bytes:
    data = bytearray(end - layout.data_base)
    for variable in static:
        start = layout.addresses[variable.name] - layout.data_base
        width = variable.element_bytes
        values = variable.values or ()
        if len(values) > variable.count:
            reject(f"'{variable.name}' has more initial values than elements", variable.position)
        for index, value in enumerate(values):
            number = _number(value, variable, layout, reject)
            at = start + index * width
            data[at : at + width] = (number % (1 << 8 * width)).to_bytes(width, "little")
    return bytes(data)


def _number(value: ast.Operand, variable: ast.Variable, layout: Layout, reject: Reject) -> int:
    match value:
        case ast.Number(number):
            return number
        case ast.FloatBits(bits, width) if width == 8 * variable.element_bytes:
            return bits
        case ast.FloatBits(bits, 64) if variable.type == "f32":
            return single(bits)
        case ast.Name(name, offset) if name in layout.addresses:
            return layout.addresses[name] + offset
        case ast.Part(name, offset, mask) if name in layout.addresses:
            whole = layout.addresses[name] + offset & mask
            return whole >> (mask & -mask).bit_length() - 1
    reject(f"initial value of '{variable.name}' is not supported", variable.position)
