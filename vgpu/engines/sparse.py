"""The sparse engine: the same weights as the dense one, skipping the zeros.

It knows matrices, not instructions: any network that the circuit compiler emits runs here. Whole
passes are native code (`vgpu.engines.native`).
"""

from __future__ import annotations

import ctypes
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from vgpu.circuit.emit import Network
from vgpu.engines.native.compiler import native, width_for
from vgpu.engines.native.layout import Instance, Layout, mask_bytes
from vgpu.geometry import Geometry
from vgpu.network import network_for
from vgpu.word import Bits, layout


class SparseEngine:
    """Feeds words to the native passes."""

    name = "sparse"
    options: tuple[str, ...] = ()  # further ones for the compiler of the native code

    def __init__(
        self, geometry: Geometry, network: Network, laid_out: Layout | None = None
    ) -> None:
        self.geometry, self.network = geometry, network
        self.layout = layout(geometry)
        self._instance = Instance(laid_out or Layout(network))

    @classmethod
    def for_geometry(cls, geometry: Geometry) -> SparseEngine:
        laid_out = _layout_for(geometry)
        return cls(geometry, laid_out.network, laid_out)

    def ticks(self, lanes: int) -> npt.NDArray[np.uint64]:
        """Clock ticks by part of a pass, when `options` has COUNT_TICKS: the embedding; each
        layer's addresses, other projections, memories, neurons; the head."""
        parts = 2 + 4 * len(self.network.layers)
        address = self._instance.network(width_for(lanes)).ticks
        return np.ctypeslib.as_array((ctypes.c_uint64 * parts).from_address(address))

    def reset(self) -> None:
        self._instance.forget()

    def step(self, words: Bits) -> Bits:
        return self._passes(words, 1, [], [], False)[0] if len(words) else words

    def advance(
        self, words: Bits, limit: int, alive: list[int], stop: list[int], keep: bool
    ) -> tuple[Bits, int, int, Bits]:
        """Up to `limit` passes in native code; see `vgpu.engines.advance`."""
        return self._passes(words, limit, alive, stop, keep)

    def _passes(
        self, words: Bits, limit: int, alive: list[int], stop: list[int], keep: bool
    ) -> tuple[Bits, int, int, Bits]:
        lanes = width_for(len(words))
        run, _ = native(lanes, self.options)
        network = self._instance.network(lanes)
        out = np.array(words, np.uint8, order="C")
        history = np.empty((limit if keep else 0, *words.shape), np.uint8)
        chunks = -(-len(words) // lanes)
        masks = np.empty(chunks * words.shape[1] * mask_bytes(lanes), np.uint8)
        going, stops = np.array(alive, np.int32), np.array(stop, np.int32)
        ran = np.zeros(1, np.int64)
        count = run(
            ctypes.addressof(network), out.ctypes.data, len(words), masks.ctypes.data, limit,
            going.ctypes.data, len(going), stops.ctypes.data, len(stops),
            history.ctypes.data if keep else None, ran.ctypes.data,
        )  # fmt: skip
        return out, count, int(ran[0]), history[:count]


@lru_cache(maxsize=2)
def _layout_for(geometry: Geometry) -> Layout:
    return Layout(network_for(geometry))
