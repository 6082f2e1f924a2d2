"""Long work that a person may stop: downloads, conversions, fitting.

Such work calls `check` now and then, and so does whatever tells its progress. What was done stays,
and the next call goes on from there.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from contextvars import ContextVar

from vgpu.errors import Cancelled

_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextlib.contextmanager
def stoppable(stop: threading.Event) -> Iterator[None]:
    """In this block, and this thread, `check` raises `Cancelled` once `stop` is set."""
    before = _stop.set(stop)
    try:
        check()
        yield
    finally:
        _stop.reset(before)


def check() -> None:
    """Raises `Cancelled` when the work is wanted no longer."""
    stop = _stop.get()
    if stop is not None and stop.is_set():
        raise Cancelled("stopped: it goes on from there the next time")
