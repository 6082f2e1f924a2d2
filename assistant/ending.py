"""What happens when the process is told to end (SIGTERM), or its terminal is closed (SIGHUP).

By default both end it where it stands: temporary folders stay, and compilers that it had started
go on. Here they end it as Ctrl-C does, with everything put away.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any


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


def _leave(number: int, _frame: Any) -> None:
    raise SystemExit(status_of(number))
