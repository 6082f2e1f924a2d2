"""Traces: every word of a run as JSON lines, to read, store, replay and check.

The first line describes the launch; then one line a chunk of the prompt and one a pass. `crc` is
the checksum of a line's words: some bits of a prompt show in no other word. The last line tells
how the run ended (`finished`, `failed`, `interrupted`, or `capped`: it finished, and what came
after so many bytes was left out, `left_out` passes of it), how many records and passes there are,
and a checksum over every line between: without it the trace is not complete. The first line has
a checksum of its own, so that engines leave the same lines after it.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from vgpu.errors import InputError, RunError
from vgpu.word import Bits, WordLayout

if TYPE_CHECKING:
    from vgpu.runtime import Run


FORMAT: Final = "vgpu-trace-1"
_PASS: Final = b'{"pass":'


def checksum(words: list[str]) -> int:
    """CRC-32 of the words' spelling."""
    return zlib.crc32(" ".join(words).encode())


def spelled(record: dict[str, Any]) -> bytes:
    """A record as its line in the file."""
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def header_checksum(header: dict[str, Any]) -> int:
    """CRC-32 of the first line without its own checksum."""
    return zlib.crc32(spelled({name: v for name, v in header.items() if name != "crc"}))


class Trace:
    """Writes a run's words to `path`, about `most` bytes of them; does nothing without a path."""

    def __init__(
        self, path: Path | None, layout: WordLayout, run: Run, most: int | None = None
    ) -> None:
        self.path, self.layout, self.run, self.most = path, layout, run, most
        self._file: BinaryIO | None = None
        self._records = self._passes = self._chain = self._bytes = 0

    @property
    def wanted(self) -> bool:
        """Whether there is a file, with room for more."""
        return self.path is not None and (self.most is None or self._bytes < self.most)

    def __enter__(self) -> Trace:
        if self.path is not None:
            try:
                self._file = self.path.open("wb")
            except OSError as error:
                raise InputError(f"cannot write the trace {self.path}: {error.strerror}") from None
            header = {
                "trace": FORMAT,
                "kernel": self.run.kernel,
                "grid": self.run.grid,
                "block": self.run.block,
                "engine": self.run.engine,
                "geometry": asdict(self.layout.geometry),
                "fields": self.layout.widths,
            }
            self._put(spelled(header | {"crc": header_checksum(header)}))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        back: TracebackType | None,
    ) -> None:
        if self._file is None or self.path is None:
            return
        try:
            if kind is KeyboardInterrupt and self.path.is_file():
                self._recount()
            how = "failed" if kind else "finished" if self.wanted else "capped"
            left_out = {} if self.wanted else {"left_out": self.run.passes - self._passes}
            self._put(spelled({
                "end": "interrupted" if kind is KeyboardInterrupt else how,
                "records": self._records, "passes": self._passes, "crc": self._chain, **left_out,
            }))  # fmt: skip
            self._file.close()
        except OSError as error:
            if kind is None:
                raise self._full(error) from None
        except RunError:
            if kind is None:
                raise

    def _recount(self) -> None:
        """Ctrl-C may come between a line and its count, or within a line: the file knows."""
        assert self.path is not None and self._file is not None
        self._file.close()
        self._records = self._passes = self._chain = self._bytes = 0
        whole = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file):
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                if number:
                    self._count(line)
        self._file = self.path.open("r+b")
        self._file.truncate(whole)
        self._file.seek(whole)

    def _full(self, error: OSError) -> RunError:
        return RunError(f"cannot write the trace {self.path}: {error.strerror}")

    def _put(self, line: bytes) -> None:
        assert self._file is not None
        try:
            self._file.write(line)
        except OSError as error:
            raise self._full(error) from None

    def _count(self, line: bytes) -> None:
        self._records += 1
        self._passes += line.startswith(_PASS)
        self._chain = zlib.crc32(line, self._chain)
        self._bytes += len(line)

    def _write(self, record: dict[str, Any]) -> None:
        if self.wanted:
            line = spelled(record)
            self._put(line)
            self._count(line)

    def chunk(self, kind: str, given: Bits, came: Bits) -> None:
        if self.wanted:
            into, out = self.layout.to_hex(given), self.layout.to_hex(came)
            self._write({"chunk": kind, "in": into, "out": out, "crc": checksum(into + out)})

    def passes(self, ctaid: tuple[int, ...], history: Bits) -> None:
        """Every pass's words, [passes, lanes, bits], after `run.passes` earlier ones."""
        if self.wanted:
            for number, bits in enumerate(history, self.run.passes + 1):
                words = self.layout.to_hex(bits)
                self._write(
                    {"pass": number, "ctaid": ctaid, "words": words, "crc": checksum(words)}
                )
