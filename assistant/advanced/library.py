"""The example kernels of prompts/library: what each computes, and checks with known results."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import prompts
from assistant.advanced import extent as extents
from assistant.advanced import signature as signatures
from assistant.advanced.extent import Extent
from assistant.advanced.signature import Signature

LIST = "library/library.yaml"


@dataclass(frozen=True)
class Check:
    """Inputs, and what the first numbers of `out` must then be."""

    inputs: Mapping[str, Any]
    out: tuple[int, ...]


@dataclass(frozen=True)
class Entry:
    """A kernel of the library. `wordings` are ways to ask for it, the first its description."""

    name: str
    wordings: tuple[str, ...]
    signature: Signature
    source: str
    extent: Extent | None
    order_free: bool
    checks: tuple[Check, ...]
    tags: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        """The line before a kernel that says what comes out and whether the order matters; empty
        where no short rule says how much comes out."""
        return header(self.extent, self.order_free) if self.extent else ""


def header(extent: Extent, order_free: bool) -> str:
    return f"// gives {extent}; order {'free' if order_free else 'matters'}"


@functools.cache
def library() -> tuple[Entry, ...]:
    """All entries, in the order of the file."""
    return tuple(
        entry(record, prompts.text(f"library/{record['name']}.cu"))
        for record in prompts.parsed(prompts.text(LIST))
    )


def entry(record: Mapping[str, Any], source: str) -> Entry:
    """The entry of a record of library.yaml. Raises InputError when it cannot be one."""
    checks = tuple(Check(check["inputs"], tuple(check["out"])) for check in record["checks"])
    return Entry(
        record["name"],
        (record["task"], *record.get("also", ())),
        signatures.parse(record["signature"]),
        source.strip() + "\n",
        extents.of_examples([(check.inputs, check.out) for check in checks]),
        bool(record.get("order_free", False)),
        checks,
        tuple(record.get("tags", ())),
    )
