"""Ways to run the machine: `interpreter` (the specification), `sparse` and `dense` (the network).

Every engine has `reset()` and `step(words) -> words`: one forward pass over the words of a
chunk, uint8 [n, bits] in the layout of `vgpu.word`.
"""

from __future__ import annotations

from typing import Final, Protocol

from vgpu.errors import InputError
from vgpu.geometry import DEFAULT, Geometry
from vgpu.word import Bits

NAMES: Final = ("sparse", "dense", "interpreter")


class Engine(Protocol):
    name: str
    geometry: Geometry

    def reset(self) -> None: ...

    def step(self, words: Bits) -> Bits: ...


def make_engine(name: str, geometry: Geometry = DEFAULT) -> Engine:
    """Raises InputError for a name that is not in `NAMES`."""
    # Imported late: the dense engine needs torch, the sparse one numba.
    if name == "interpreter":
        from vgpu.interpreter import Interpreter

        return Interpreter(geometry)
    if name == "sparse":
        from vgpu.engines.sparse import SparseEngine

        return SparseEngine.for_geometry(geometry)
    if name == "dense":
        from vgpu.engines.dense import DenseEngine

        return DenseEngine.for_geometry(geometry)
    raise InputError(f"unknown engine {name!r}; engines are {', '.join(NAMES)}")
