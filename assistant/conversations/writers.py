"""Who writes an answer: the process, so that answers of killed ones can be told from live ones."""

from __future__ import annotations

import os
from functools import lru_cache


@lru_cache(1)
def this_process() -> str:
    """`pid:start`: a process number alone is used again."""
    return f"{os.getpid()}:{_started(os.getpid())}"


def is_alive(writer: str) -> bool:
    """Whether the process of `this_process` still runs."""
    pid, _, start = writer.partition(":")
    return pid.isdigit() and start != "" and _started(int(pid)) == start


def _started(pid: int) -> str:
    """When the process began, "" when there is none."""
    import psutil  # type: ignore[import-untyped]

    try:
        process = psutil.Process(pid)
        return "" if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.2f}"
    except psutil.Error:
        return ""


os.register_at_fork(after_in_child=this_process.cache_clear)
