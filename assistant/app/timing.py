"""How long opening took the last time, by host: the estimate for the next time."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path


class Timing:
    """Seconds by name in a small JSON file; one that cannot be read or written is no matter."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def _read(self) -> dict[str, float]:
        if self._path is None:
            return {}
        try:
            record = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def expected(self, name: str) -> float:
        """Seconds, 0 when nothing is known."""
        seconds = self._read().get(name, 0.0)
        return float(seconds) if isinstance(seconds, int | float) else 0.0

    def took(self, name: str, seconds: float) -> None:
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            record = self._read() | {name: round(seconds, 2)}
            self._path.write_text(json.dumps(record) + "\n", encoding="utf-8")
