"""Where an app keeps the traces of its runs until it is left: a temporary folder of its own.

A kill -9 leaves such a folder behind, with up to half a gigabyte in it; the next app that starts
removes it. Whose app still runs is seen by a lock inside, which ends with the process.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
from pathlib import Path

_PREFIX = "vgpu-runs-"
_LOCK = ".lock"
_YOUNG = 60.0  # seconds after its making in which a folder may have no lock yet


class RunFolder:
    """The folder, made at once. `hold` takes the lock, once there is time for it."""

    def __init__(self) -> None:
        self._made = tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
        self.path = Path(self._made.name)
        self._guard = threading.Lock()
        self._removed = False

    def hold(self) -> None:
        """Locks it, and removes those of apps that are gone."""
        from filelock import FileLock, Timeout

        with contextlib.suppress(OSError), self._guard:
            if self._removed:
                return  # the lock would make the folder anew
            self._lock = FileLock(self.path / _LOCK)
            self._lock.acquire(timeout=0)
        for other in self.path.parent.glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError, Timeout):
                old = time.time() - other.lstat().st_mtime > _YOUNG
                if old and other != self.path and not other.is_symlink():
                    with FileLock(other / _LOCK, timeout=0):
                        shutil.rmtree(other, ignore_errors=True)

    def remove(self) -> None:
        with self._guard:
            self._removed = True
            self._made.cleanup()
