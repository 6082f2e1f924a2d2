"""The structures of `passes.c`. They hold addresses; `Keeper` keeps the arrays behind them."""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int32, c_void_p
from typing import Any, Final

import numpy as np

from vgpu.engines.native.rows import Packed

ALIGNMENT: Final = 128  # bytes, of a vector of 32 lanes


def _pointers(names: str) -> list[tuple[str, Any]]:
    return [(name, c_void_p) for name in names.split()]


def _numbers(names: str) -> list[tuple[str, Any]]:
    return [(name, c_int32) for name in names.split()]


class RowsC(ctypes.Structure):
    _fields_ = [
        *_numbers("shapes rows"), ("scale", c_float), *_pointers("shape column value bias")
    ]  # fmt: skip


class MlpC(ctypes.Structure):
    _fields_ = [
        ("form", RowsC),
        *_pointers("gates constant alone alone_at alone_weight"),
        *_pointers("neuron up up_column up_value up_bias down down_at down_weight"),
    ]


class AddressC(ctypes.Structure):
    _fields_ = [
        ("part", RowsC), *_numbers("rows"), *_pointers("first second bias place fixed")
    ]  # fmt: skip


class MixerC(ctypes.Structure):
    _fields_ = [
        *_numbers("heads group addresses packs key_width value_width targets width"),
        ("scale", c_float),
        *_pointers("address query key"),
        ("gate", RowsC), ("beta", RowsC), ("value", RowsC),
        *_pointers("pack pack_row part pack_of beta_of gates gate_of"),
        *_pointers("read read_part read_at read_weight target"),
        *_pointers("state total touched packed"),
    ]  # fmt: skip


class NetworkC(ctypes.Structure):
    _fields_ = [
        *_numbers("bits channels layers whole"),
        *_pointers("embed fresh fresh_at mlp mixer"),
        ("head", RowsC),
        *_pointers("head_bit stream lit product gates values lit_lanes gate_lanes"),
        *_pointers("lit_row index neuron count weight here most packed_lanes ticks"),
    ]


class Keeper:
    """Addresses of arrays, which it keeps alive."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def array(self, values: Any, dtype: Any) -> int:
        array = np.ascontiguousarray(values, dtype=dtype)
        self.kept.append(array)
        return array.ctypes.data

    def ints(self, values: Any) -> int:
        return self.array(values, np.int32)

    def shorts(self, values: Any) -> int:
        return self.array(values, np.uint16)

    def floats(self, values: Any) -> int:
        return self.array(values, np.float32)

    def empty(self, size: int, dtype: Any) -> int:
        """Zeros, aligned for vectors."""
        room = np.zeros(size * np.dtype(dtype).itemsize + ALIGNMENT, np.uint8)
        self.kept.append(room)
        return -(-room.ctypes.data // ALIGNMENT) * ALIGNMENT

    def structures(self, values: list[Any]) -> int:
        array = (type(values[0]) * len(values))(*values)
        self.kept.append(array)
        return ctypes.addressof(array)

    def rows(self, packed: Packed) -> RowsC:
        return RowsC(
            len(packed.shape), len(packed.order), packed.scale, self.ints(packed.shape),
            self.shorts(packed.column), self.floats(packed.value), self.floats(packed.bias),
        )  # fmt: skip
