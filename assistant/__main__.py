"""`python -m assistant`."""

import sys
from collections.abc import Callable


def main(run: Callable[[], int] | None = None) -> int:
    """The exit status of `run`, the command line. Ctrl-C may come while that is being imported."""
    try:
        if run is None:
            from assistant.cli import main as run
        status = run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr, flush=True)
        status = 130
    except SystemExit as told:
        status = told.code if isinstance(told.code, int) else 1
    _leave_threads(status)
    return status


def _leave_threads(status: int) -> None:
    """A thread that still computes would be cut off while Python takes itself down."""
    import threading

    if threading.active_count() > 1:
        from assistant.ending import leave

        leave(status)


if __name__ == "__main__":
    sys.exit(main())
