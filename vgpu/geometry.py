"""The sizes of a machine. Everything that has a width takes it from here."""

from __future__ import annotations

from dataclasses import dataclass


def bits_for(count: int) -> int:
    """Bits that number `count` things from 0: bits_for(32) == 5."""
    return max(count - 1, 1).bit_length()


@dataclass(frozen=True)
class Geometry:
    """How large the machine is.

    `width` bits a register; a memory word has four bytes of `width / 4` bits, so that the same
    description gives a 4-bit machine small enough to test exhaustively. `hidden` is the width of
    the residual stream, a power of four (the carrier needs it). Raises ValueError on sizes that
    the circuit cannot have.
    """

    width: int = 32
    lanes: int = 32
    warps: int = 4
    registers: int = 32
    predicates: int = 8
    instructions: int = 1024
    memory_bytes: int = 16384
    hidden: int = 1024

    def __post_init__(self) -> None:
        for name in ("width", "lanes", "warps", "registers", "instructions", "memory_bytes"):
            value = getattr(self, name)
            if value < 1 or value & (value - 1):
                raise ValueError(f"geometry.{name} must be a power of two, not {value}")
        if self.width not in (4, 8, 16, 32):
            raise ValueError(f"geometry.width must be 4, 8, 16 or 32, not {self.width}")
        if self.predicates != 8 or self.registers > 32:
            raise ValueError("the instruction format has 8 predicates and at most 32 registers")
        if self.width - self.address_bits > 22:
            least = 1 << (self.width - 22)
            raise ValueError(
                f"geometry.memory_bytes must be at least {least} when addresses have {self.width} "
                "bits: the check of the high ones would not be exact"
            )
        if self.lanes > self.width:
            raise ValueError("a warp's mask must fit a register: lanes cannot exceed width")
        if self.hidden < 4 or 4 ** round((self.hidden.bit_length() - 1) / 2) != self.hidden:
            raise ValueError(f"geometry.hidden must be a power of four, not {self.hidden}")
        if self.address_bits > self.width or self.pc_bits > self.width:
            raise ValueError("memory addresses and instruction numbers must fit a register")

    @property
    def threads(self) -> int:
        """Most threads a block can have."""
        return self.lanes * self.warps

    @property
    def byte(self) -> int:
        """Bits of a memory byte: a quarter of a word (8 when width is 32)."""
        return self.width // 4

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    @property
    def thread_bits(self) -> int:
        return bits_for(self.threads)

    @property
    def lane_bits(self) -> int:
        """Bits of a thread's number that tell its lane; those above tell its warp."""
        return (self.lanes - 1).bit_length()

    @property
    def register_bits(self) -> int:
        return bits_for(self.registers)

    @property
    def pc_bits(self) -> int:
        return bits_for(self.instructions)

    @property
    def address_bits(self) -> int:
        return bits_for(self.memory_bytes)

    @property
    def null_bytes(self) -> int:
        """Addresses below this are a null pointer's: an access there faults. Machines too small to
        spare them have none."""
        return 16 if self.memory_bytes >= 256 else 0

    @property
    def lock_classes(self) -> int:
        """Word addresses equal modulo this share a hold (`ld.lock`)."""
        return 1 << min(6, self.address_bits - 2)

    @property
    def special_bits(self) -> int:
        """Bits of a special register's row: three of the index, then the thread (or one more of
        the index), and on top whether it is the thread's own."""
        return 4 + self.thread_bits

    def special_row(self, index: int, thread: int) -> int:
        """The row of the special-register memory that `s2r index` reads in a thread."""
        if index & 0x10:
            return 1 << (self.special_bits - 1) | thread << 3 | index & 7
        return index & 0xF


DEFAULT = Geometry()
