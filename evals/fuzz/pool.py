"""Work shared by processes that end, and put away what they made, when the parent is told to."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from typing import Any, Final, TypeVar

from codegen import sandbox

PATIENCE: Final = 1.5  # seconds that a process has to put its things away
T = TypeVar("T")


def results(
    work: Callable[..., T], calls: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[T, None, None]:
    """`work` of each call's arguments, in order, by `jobs` processes. Closed, it ends them."""
    others = active_children()
    with _unseen():  # by a process of Python's own, which counts what the others share
        pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_prepare)
    with pool:
        try:
            with _unseen():  # by the processes, which `submit` starts
                waiting = deque(pool.submit(_perform, work, call) for call in calls)
            while waiting:
                yield waiting.popleft().result()
        except BaseException:  # they would go on with what they have
            _end([child for child in active_children() if child not in others])
            raise


def _unseen() -> AbstractContextManager[None]:
    """What a terminal sends to all (Ctrl-C, its end) is never seen by processes that are started
    meanwhile: the parent ends them."""
    return sandbox.held_back("SIGINT", "SIGHUP")


def _end(children: Sequence[BaseProcess]) -> None:
    for child in children:
        child.terminate()
    late = time.monotonic() + PATIENCE
    for child in children:
        child.join(max(0.0, late - time.monotonic()))
        if child.is_alive():
            child.kill()


def _prepare() -> None:
    signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, _frame: Any) -> None:
    """A second signal (the pool sends one too) would cut short what the first has begun."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _perform(work: Callable[..., T], call: tuple[Any, ...]) -> T:
    try:
        return work(*call)
    except SystemExit as told:  # which the pool would take for a result, and go on
        os._exit(int(told.code or 0))
