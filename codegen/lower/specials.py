"""Special registers (PTX ISA, chapter 10): read from the machine, or computed from what it has."""

from __future__ import annotations

import difflib
from typing import Final

from codegen.lower.context import WARP_SIZE, Lowering
from codegen.lower.mir import Value
from vgpu.isa import MASK32, SPECIALS

# one multiprocessor runs one block after another, and the kernel is its only grid
_CONSTANTS = {
    "%smid": 0, "%nsmid": 1, "%gridid": 0, "%ctaid.w": 0, "%nctaid.w": 1,
    "%tid.w": 0, "%ntid.w": 1, "%cluster_ctarank": 0, "%cluster_nctarank": 1,
}  # fmt: skip
# a cluster is one block
_CONSTANTS |= {f"%cluster_ctaid.{axis}": 0 for axis in "xyz"}
_CONSTANTS |= {f"%cluster_nctaid.{axis}": 1 for axis in "xyz"}
_RENAMED: Final = {
    f"%{'n' * n}clusterid.{axis}": f"%{'n' * n}ctaid.{axis}" for axis in "xyz" for n in (0, 1)
}
_MASKS: Final = ("eq", "lt", "le", "gt", "ge")


def special(low: Lowering, name: str) -> Value:
    """The value of a special register. Rejects the instruction when the machine has none."""
    name = _RENAMED.get(name, name)
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
    if name in ("%tid", "%ntid", "%ctaid", "%nctaid"):
        low.unsupported(f"one part of {name} is expected: {name}.x")
    near = difflib.get_close_matches(name, low.types, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    low.unsupported(f"{name} is not declared, nor a special register that the machine has{hint}")


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


def supported() -> list[str]:
    """The special registers that there are, in order."""
    masks = [f"%lanemask_{which}" for which in _MASKS]
    own = [name for name in SPECIALS if name != "%local"]
    return sorted([*own, *_CONSTANTS, *_RENAMED, *masks, "%nwarpid"])
