"""The machine word: the discrete token that goes into the network and comes out of it.

A word is a fixed set of bits. Each input bit is one row of the embedding; each output bit is
read from the network by its sign. Lanes' words, load tokens and read tokens share one layout,
and what comes out of a pass goes in at the next one unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from vgpu.geometry import Geometry

Bits = npt.NDArray[np.uint8]
Fields = dict[str, npt.NDArray[np.int64]]

KINDS: Final = ("exec", "prog_lo", "prog_hi", "mem", "special", "read", "start")
FAULTS: Final = {
    "f_addr": "address outside memory",
    "f_align": "misaligned address",
    "f_op": "undefined opcode",
    "f_trap": "trap",
}
VALUE_BITS: Final = 32  # half an instruction, whatever the width of a register


@dataclass(frozen=True)
class WordLayout:
    """Names, offsets and widths of a word's fields, in bits.

    kind (one-hot): `exec` a lane's step; `prog_lo`/`prog_hi` write half an instruction at
    `addr`; `mem` writes a memory word; `special` a special register; `read` reads a memory
    word; `start` announces a thread to the barrier. `value`, `rd`, `we` are the register write
    of the previous step; `addr` is the program counter; `run`, `wait`, `epoch` the state of the
    thread (neither run nor wait: it has exited); `odd` counts passes modulo 2; `f_*` faults,
    raised by the network.
    """

    geometry: Geometry

    @cached_property
    def widths(self) -> dict[str, int]:
        g = self.geometry
        return {
            **dict.fromkeys(KINDS, 1),
            "thread": g.thread_bits,
            "addr": max(g.pc_bits, g.address_bits, g.special_bits),
            "value": VALUE_BITS,
            "rd": g.register_bits,
            "we": 1,
            "preds": g.predicates,
            "run": 1,
            "wait": 1,
            "epoch": 2,
            "odd": 1,
            **dict.fromkeys(FAULTS, 1),
        }

    @cached_property
    def offsets(self) -> dict[str, int]:
        offsets, at = {}, 0
        for name, width in self.widths.items():
            offsets[name] = at
            at += width
        return offsets

    @cached_property
    def bits(self) -> int:
        return sum(self.widths.values())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """One name a bit: `run`, `value[3]`."""
        return tuple(
            name if width == 1 else f"{name}[{i}]"
            for name, width in self.widths.items()
            for i in range(width)
        )

    def pack(self, count: int, **fields: int | npt.ArrayLike) -> Bits:
        """`count` words as bits, uint8 [count, bits]; fields not given are 0."""
        words = np.zeros((count, self.bits), dtype=np.uint8)
        for name, value in fields.items():
            at, width = self.offsets[name], self.widths[name]
            column = np.broadcast_to(np.asarray(value, dtype=np.int64), (count,))
            words[:, at : at + width] = (column[:, None] >> np.arange(width)) & 1
        return words

    def field(self, words: Bits, name: str) -> npt.NDArray[np.int64]:
        """One field of every word, int64 [count]."""
        at, width = self.offsets[name], self.widths[name]
        weights = np.int64(1) << np.arange(width, dtype=np.int64)
        result: npt.NDArray[np.int64] = words[:, at : at + width].astype(np.int64) @ weights
        return result

    def unpack(self, words: Bits) -> Fields:
        return {name: self.field(words, name) for name in self.widths}

    def to_hex(self, words: Bits) -> list[str]:
        """One hexadecimal string a word, bit 0 lowest: the spelling of traces."""
        digits = (self.bits + 3) // 4
        packed = np.packbits(words, axis=1, bitorder="little")
        return [f"{int.from_bytes(row.tobytes(), 'little'):0{digits}x}" for row in packed]

    def from_hex(self, words: list[str]) -> Bits:
        """Raises ValueError when a string is not hexadecimal or has bits past the layout."""
        rows = []
        for text in words:
            value = int(text, 16)
            if value >> self.bits:
                raise ValueError(f"word {text}: more than {self.bits} bits")
            rows.append(np.frombuffer(value.to_bytes((self.bits + 7) // 8, "little"), np.uint8))
        unpacked: Bits = np.unpackbits(np.stack(rows), axis=1, bitorder="little")[:, : self.bits]
        return unpacked


@lru_cache
def layout(geometry: Geometry) -> WordLayout:
    return WordLayout(geometry)
