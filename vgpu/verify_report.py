"""What a verification found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[int, int, str], None]


@dataclass
class Report:
    """What a verification found. `names` are what failed, `reasons` says why (one line each);
    `skipped` are those among them that ask for something not supported; `notes` are for the reader
    and count as nothing."""

    passed: int = 0
    failed: int = 0
    names: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    counts: dict[str, float] = field(
        default_factory=lambda: {"words": 0, "passes": 0, "instructions": 0, "seconds": 0.0}
    )

    def add(self, name: str, reason: str | None, *, unsupported: bool = False) -> None:
        """Count one check; it failed when there is a reason."""
        if reason is None:
            self.passed += 1
            return
        self.failed += 1
        self.names.append(name)
        self.reasons[name] = reason
        if unsupported:
            self.skipped[name] = reason

    def as_json(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "failed": self.failed,
            "names": self.names,
            "reasons": self.reasons,
            "skipped": self.skipped,
            "counts": self.counts,
        }
