"""Running a prebuilt kernel on the reference interpreter and holding it to its oracle."""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

import codegen
import vgpu
from codegen.catalog import BEYOND, OK, OVERFLOWS, UNDEFINED
from tests.codegen.kernel_oracles import HIGHEST, LOWEST, ORACLES, Beyond, Undefined

CORNERS = [0, 1, -1, 2, -7, 100, 46341, -46341, 2**31 - 1, -(2**31), 2**32, 3037000500,
           HIGHEST - 1, HIGHEST, LOWEST + 1, LOWEST]  # fmt: skip
catalog = codegen.catalog()


@lru_cache
def machine() -> vgpu.Machine:
    return vgpu.Machine("interpreter")


@lru_cache
def network() -> vgpu.Machine:
    """The network itself: with many lanes it is the faster of the two."""
    return vgpu.Machine("sparse")


def launch(name: str, args: Any, on: vgpu.Machine) -> tuple[int, Any, vgpu.Run]:
    """(status, result, run) of a call."""
    kernel = catalog[name]
    bound = kernel.bind(args)
    run = on.run(kernel.program(), bound.inputs, bound.outputs, grid=bound.grid, block=bound.block)
    return run.outputs["status"][0], bound.result(run.outputs), run


def check(name: str, *args: Any, on: vgpu.Machine | None = None) -> vgpu.Run:
    """Run a kernel; its status and its result must be the oracle's."""
    kernel, shown = catalog[name], f"{name}{args}"
    status, result, run = launch(name, args, on or machine())
    try:
        expected = ORACLES[name](*args)
    except Undefined:
        assert status == UNDEFINED, shown
        assert kernel.explain(status) == kernel.undefined
        return run
    except Beyond:
        assert status == BEYOND, shown
        assert kernel.limits in str(kernel.explain(status))
        return run
    flat = [expected]
    while flat and isinstance(flat[0], list):
        flat = list(itertools.chain(*flat))
    if all(LOWEST <= value <= HIGHEST for value in flat):
        assert (status, result) == (OK, expected), shown
        assert kernel.explain(status) is None
    else:
        assert status == OVERFLOWS, f"{shown} is {expected}"
        assert "64 bits" in str(kernel.explain(status))
    return run


def integers_of(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2**bits), 2**bits - 1)


# Numbers of every length: uniform ones of 64 bits are hardly ever short.
integers = st.one_of(
    st.sampled_from(CORNERS), st.integers(-1000, 1000), st.integers(1, 63).flatmap(integers_of)
)
lists = st.lists(integers, max_size=35)
small_lists = st.lists(st.integers(-99, 99), max_size=12)
