"""Files of questions and of tasks: a JSON list of records that have certain keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vgpu.errors import InputError


def load(path: Path, what: str, needed: set[str]) -> list[dict[str, Any]]:
    """The records of a file; `what` is one of them, in words. Raises InputError when it has none,
    or one that lacks a key of `needed`."""
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not a file of {what}s: {error}") from None
    if not isinstance(records, list) or not records:
        raise InputError(f"{path}: expected a list of {what}s")
    for number, record in enumerate(records):
        missing = needed - set(record) if isinstance(record, dict) else needed
        if missing:
            raise InputError(f"{path}: {what} {number} has no {', '.join(sorted(missing))}")
    return records
