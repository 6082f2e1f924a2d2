"""What happens when the process is told to end (SIGTERM), or its terminal is closed (SIGHUP).

By default both end it where it stands: temporary folders stay, and compilers that it had started
go on. Here they end it as Ctrl-C does, with everything put away; and where something does not let
go (a thread inside PyTorch, a terminal that is gone), it ends all the same a little later.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, Final, NoReturn

PATIENCE: Final = 5.0  # seconds from the signal


def end_in_order() -> None:
    """From now on the process leaves by `SystemExit`, with the status that a shell expects."""
    for number in signals():
        signal.signal(number, _leave)


def signals() -> Iterator[int]:
    """Those that end the process; one that is ignored (by nohup) stays so."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            yield number


def status_of(number: int) -> int:
    return 128 + number


def insist(number: int) -> None:
    """The process ends within `PATIENCE`, whatever becomes of ending it in order: an exception
    that is raised while a library is imported, say, may be lost there."""
    late = threading.Timer(PATIENCE, leave, [status_of(number)])
    late.daemon = True
    late.start()


def leave(status: int) -> NoReturn:
    """Ends the process, with everything put away, without waiting for its threads. (Python would
    take itself down under a thread that is still inside PyTorch, which aborts then.)"""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _leave(number: int, _frame: Any) -> None:
    insist(number)
    raise SystemExit(status_of(number))
