"""Traces: every word of a run as JSON lines, to read, store, replay and check.

The first line describes the launch; then one line a chunk of the prompt and one a pass. `crc` is
the checksum of a line's words: some bits of a prompt show in no other word.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TextIO

from vgpu.errors import InputError
from vgpu.word import Bits, WordLayout

if TYPE_CHECKING:
    from vgpu.runtime import Run


FORMAT: Final = "vgpu-trace-1"


def checksum(words: list[str]) -> int:
    """CRC-32 of the words' spelling."""
    return zlib.crc32(" ".join(words).encode())


class Trace:
    """Writes a run's words to `path`; does nothing when `path` is None."""

    def __init__(self, path: Path | None, layout: WordLayout, run: Run) -> None:
        self.path, self.layout, self.run = path, layout, run
        self._file: TextIO | None = None

    def __enter__(self) -> Trace:
        if self.path is not None:
            try:
                self._file = self.path.open("w", encoding="utf-8")
            except OSError as error:
                raise InputError(f"cannot write the trace {self.path}: {error.strerror}") from None
            self._write(
                {
                    "trace": FORMAT,
                    "kernel": self.run.kernel,
                    "grid": self.run.grid,
                    "block": self.run.block,
                    "engine": self.run.engine,
                    "geometry": asdict(self.layout.geometry),
                    "fields": self.layout.widths,
                }
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        back: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def _write(self, record: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(record, separators=(",", ":")) + "\n")

    def chunk(self, kind: str, given: Bits, came: Bits) -> None:
        if self._file is not None:
            into, out = self.layout.to_hex(given), self.layout.to_hex(came)
            self._write({"chunk": kind, "in": into, "out": out, "crc": checksum(into + out)})

    def passes(self, ctaid: tuple[int, ...], history: Bits) -> None:
        """Every pass's words, [passes, lanes, bits], after `run.passes` earlier ones."""
        if self._file is not None:
            for number, bits in enumerate(history, self.run.passes + 1):
                words = self.layout.to_hex(bits)
                self._write(
                    {"pass": number, "ctaid": ctaid, "words": words, "crc": checksum(words)}
                )
