"""The order of a trace's records: prompt, blocks with their passes, results, end."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Final

from vgpu.geometry import DEFAULT, Geometry
from vgpu.launch import blocks
from vgpu.trace import FORMAT, header_checksum

CHUNKS: Final = ("load", "start", "read")
ENDS: Final = ("finished", "failed", "interrupted", "capped")
_SPECIALS: Final = 3  # words of a start prompt that tell the block its number
Sizes = tuple[int, int, int]


def is_count(value: object, most: int, least: int = 0) -> bool:
    return type(value) is int and least <= value <= most


@dataclass(frozen=True)
class Header:
    """A checked first line."""

    grid: Sizes
    block: Sizes
    engine: str
    geometry: Geometry
    fields: dict[str, int]
    edited: bool

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @classmethod
    def of(cls, record: Any, within: Geometry | None) -> Header:
        """Raises ValueError: what is wrong. Sizes are looked at before anything is built: at most
        those of the usual machine, or of `within` where that is larger."""
        if not isinstance(record, dict) or record.get("trace") != FORMAT:
            raise ValueError("not a trace")
        for name in ("kernel", "engine"):
            if not isinstance(record.get(name), str):
                raise ValueError(f"{name}: expected a name")
        geometry = _geometry(record.get("geometry"), within or DEFAULT)
        grid = _sizes("grid", record.get("grid"), 2**31 - 1)
        block = _sizes("block", record.get("block"), geometry.threads)
        if block[0] * block[1] * block[2] > geometry.threads:
            raise ValueError(f"block: the machine runs at most {geometry.threads} threads")
        fields = record.get("fields")
        if not isinstance(fields, dict):
            raise ValueError("fields: expected names with widths")
        # Traces of earlier versions have no checksum here; they have no end either.
        edited = "crc" in record and record["crc"] != header_checksum(record)
        return cls(grid, block, record["engine"], geometry, fields, edited)


def _sizes(name: str, value: object, most: int) -> Sizes:
    if (
        not isinstance(value, list)
        or len(value) != 3
        or not all(is_count(v, most, 1) for v in value)
    ):
        raise ValueError(f"{name}: expected three sizes from 1 to {most}")
    x, y, z = value
    return x, y, z


def _geometry(value: object, most: Geometry) -> Geometry:
    if not isinstance(value, dict) or set(value) != set(vars(most)):
        raise ValueError(f"geometry: expected {', '.join(vars(most))}")
    for name, usual in vars(DEFAULT).items():
        limit = max(usual, vars(most)[name])
        if not is_count(value[name], limit, 1):
            raise ValueError(f"geometry.{name}: expected a size from 1 to {limit}")
    return Geometry(**value)


class Order:
    """Follows the records of a trace; each method gives what is wrong with a record, or None."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.records = self.passes = self.chain = 0
        self._blocks = blocks(header.grid)
        self._now: Sizes | None = None  # the block that runs
        self._started = 0  # words of its start prompt so far
        self._run = 0  # its passes
        self._reading = False

    def line(self, line: bytes) -> None:
        self.records += 1
        self.chain = zlib.crc32(line + b"\n", self.chain)

    @property
    def _whole(self) -> int:
        return _SPECIALS + self.header.threads

    def chunk(self, kind: str, words: int) -> str | None:
        if kind == "load":
            return None if self._now is None else "it comes after a block's records"
        if kind == "read":
            self._reading = True
            return self._unfinished()
        if self._reading:
            return "a block's start comes after the results"
        if self._now is None or self._run:
            self._now = next(self._blocks, None)
            self._started = self._run = 0
        if self._now is None:
            return "there are more blocks than the grid has"
        self._started += words
        return "more words than a block's start has" if self._started > self._whole else None

    def one_pass(self, number: object, ctaid: object) -> str | None:
        if self._now is None or self._started != self._whole or self._reading:
            return "the records that start its block are missing"
        self.passes += 1
        self._run += 1
        if number != self.passes:
            return f"expected pass {self.passes}: records are missing, changed or out of order"
        if ctaid != list(self._now):
            return f"its block is {ctaid}, expected {list(self._now)}"
        return None

    def _unfinished(self) -> str | None:
        if not self._run or next(self._blocks, None) is not None:
            return "records of blocks are missing"
        return None

    def end(self, record: dict[str, Any]) -> str | None:
        how = record.get("end")
        if how not in ENDS:
            return f"end: expected one of {', '.join(ENDS)}"
        if how == "finished" and self._unfinished():
            return "the run finished, but records of blocks are missing"
        for name, count in (("records", self.records), ("passes", self.passes)):
            if record.get(name) != count:
                return f"the trace has {count} {name}, its end says {record.get(name)}"
        if record.get("crc") != self.chain:
            return "records were changed, removed or reordered after they were written"
        return None
