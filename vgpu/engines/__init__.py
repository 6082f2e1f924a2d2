"""Ways to run the machine: `interpreter` (the specification), `sparse` and `dense` (the network).

Every engine has `reset()` and `step(words) -> words`: one forward pass over the words of a
chunk, uint8 [n, bits] in the layout of `vgpu.word`.
"""

from __future__ import annotations

from typing import Final, Protocol, cast

import numpy as np

from vgpu.errors import InputError
from vgpu.geometry import DEFAULT, Geometry
from vgpu.word import Bits

NAMES: Final = ("sparse", "dense", "interpreter")


class Engine(Protocol):
    name: str
    geometry: Geometry

    def reset(self) -> None: ...

    def step(self, words: Bits) -> Bits: ...


def advance(
    engine: Engine, words: Bits, limit: int, alive: list[int], stop: list[int], keep: bool
) -> tuple[Bits, int, int, Bits]:
    """Up to `limit` passes, each fed with the words of the one before.

    Ends early when no word has an `alive` bit (before a pass) or some word has a `stop` bit
    (after it). Returns the last words, the number of passes, how many words went in with the
    first alive bit set, and, when `keep`, every pass's words [passes, n, bits]. Engines with
    native code do all of it there.
    """
    native = getattr(engine, "advance", None)
    if native is not None:
        return cast("tuple[Bits, int, int, Bits]", native(words, limit, alive, stop, keep))
    history: list[Bits] = []
    count, ran = 0, 0
    while count < limit and words[:, alive].any():
        ran += int(words[:, alive[0]].sum())
        words = engine.step(words)
        count += 1
        if keep:
            history.append(words)
        if words[:, stop].any():
            break
    return words, count, ran, np.array(history, np.uint8).reshape(-1, *words.shape)


def make_engine(name: str, geometry: Geometry = DEFAULT) -> Engine:
    """Raises InputError for a name that is not in `NAMES`."""
    # Imported late: the dense engine needs torch, the sparse one llvmlite.
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
