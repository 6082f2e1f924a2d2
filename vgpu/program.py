"""A program for the machine: instructions, the memory it needs, and where each came from.

Byte addresses are those of the machine's one flat memory, laid out as

    0        a null pointer: an access here faults
    16       parameter window, `param_bytes`
    ...      static data (`.global` and `.const`), at `data_base`
    ...      shared memory: static part at `shared_base`, then the launch's dynamic part
    ...      per-thread stacks, `local_bytes` each or more (special register %local tells where)
    ...      the arrays of the launch

Everything up to `shared_base` is fixed when the program is made; the rest at launch.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from vgpu import program_fields
from vgpu.isa import FINGERPRINT

PARAM_BASE: Final = 16
FORMAT: Final = "vgpu-program-1"


@dataclass(frozen=True)
class Param:
    """A kernel parameter. `offset` is from `PARAM_BASE`; `size` in bytes (a pointer: 4 or 8).

    `type` is the element type (i8 u8 i16 u16 i32 u32 i64 u64 f32) when the source tells it,
    else None; for a pointer it is the type pointed to.
    """

    name: str
    offset: int
    size: int
    pointer: bool
    type: str | None = None


@dataclass(frozen=True)
class Source:
    """Where an instruction came from. `line` and `column` count from 1; 0 is unknown."""

    file: str
    line: int
    column: int = 0
    text: str = ""


@dataclass(frozen=True)
class Program:
    """A lowered kernel. `code` holds 64-bit instruction words (see `vgpu.isa`).

    `room_word`, where it is not 0, is the address of a word of static data: the program can use
    more than `local_bytes`, and the launch writes there how many each thread was given.
    """

    kernel: str
    code: tuple[int, ...]
    params: tuple[Param, ...] = ()
    data_base: int = PARAM_BASE
    data: bytes = b""
    shared_base: int = PARAM_BASE
    shared_bytes: int = 0
    local_bytes: int = 0
    room_word: int = 0
    source: tuple[Source | None, ...] = ()
    stats: dict[str, int] = field(default_factory=dict)

    @property
    def param_bytes(self) -> int:
        return max((p.offset + p.size for p in self.params), default=0)

    def to_json(self) -> str:
        record: dict[str, Any] = {"format": FORMAT, "isa": FINGERPRINT} | asdict(self)
        record["code"] = [f"{word:016x}" for word in self.code]
        record["data"] = self.data.hex()
        return json.dumps(record, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Program:
        """Raises ValueError when `text` is not a program of this format: what and where."""
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"not a {FORMAT} file: not JSON") from None
        if not isinstance(record, dict) or record.pop("format", None) != FORMAT:
            raise ValueError(f"not a {FORMAT} file")
        if record.pop("isa", None) != FINGERPRINT:
            raise ValueError("made for another version of the instruction set: compile it again")
        return cls(**program_fields.checked(record, Param, Source, PARAM_BASE))

    def save(self, path: Path) -> None:
        path.write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Program:
        return cls.from_json(path.read_text(encoding="utf-8"))
