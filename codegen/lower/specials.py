"""Special registers (PTX ISA, chapter 10): read from the machine, or computed from what it has."""

from __future__ import annotations

from typing import Final

from codegen.lower.context import WARP_SIZE, Lowering
from codegen.lower.mir import Value
from vgpu.isa import MASK32, SPECIALS

# one multiprocessor runs one block after another, and the kernel is its only grid
_CONSTANTS: Final = {"%smid": 0, "%nsmid": 1, "%gridid": 0, "%ctaid.w": 0, "%nctaid.w": 1,
                     "%tid.w": 0, "%ntid.w": 1}  # fmt: skip
_MASKS: Final = ("eq", "lt", "le", "gt", "ge")


def special(low: Lowering, name: str) -> Value:
    """The value of a special register. Rejects the instruction when the machine has none."""
    if name in SPECIALS and name != "%local":
        return low.emit("s2r", low.new(), b=SPECIALS[name])
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    if name == "%nwarpid":
        return _warps(low)
    if name.startswith("%lanemask_") and name[10:] in _MASKS:
        return _lane_mask(low, name[10:])
    if name.startswith(("%clock", "%globaltimer")):
        low.unsupported("the machine has no clock that a kernel can read; see the passes of a run")
    low.unsupported(f"special register {name}")


def _warps(low: Lowering) -> Value:
    """Warps of a block, the last one perhaps not full."""
    x, y, z = (low.emit("s2r", low.new(), b=SPECIALS[f"%ntid.{axis}"]) for axis in ("x", "y", "z"))
    threads = low.emit("mul", low.new(), low.emit("mul", low.new(), x, y), z)
    rounded = low.emit("add", low.new(), threads, WARP_SIZE - 1)
    return low.emit("shr", low.new(), rounded, WARP_SIZE.bit_length() - 1)


def _lane_mask(low: Lowering, which: str) -> Value:
    """Bits of the lanes equal to, below or above this one."""
    lane = low.emit("s2r", low.new(), b=SPECIALS["%laneid"])
    # below or equal, and above: all bits up to this one, for lane 31 too (2 << 31 is 0)
    bit = low.emit("shl", low.new(), low.reg(2 if which in ("le", "gt") else 1), lane)
    if which == "eq":
        return bit
    if which in ("lt", "le"):
        return low.emit("add", low.new(), bit, MASK32)
    return low.emit("sub", low.new(), 0, bit)
