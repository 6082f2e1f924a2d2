"""Division and remainder: by a constant inline, else a call of the device library."""

from __future__ import annotations

from codegen.lower.calls import call
from codegen.lower.context import Lowering
from codegen.lower.mir import Reg, Symbol, Value
from vgpu.isa import MASK32

TRAP_DIVISION = 1


def divide(low: Lowering, d: Reg, a: Value, b: Value, *, signed: bool, remainder: bool) -> None:
    """d = a / b, or a % b, rounded towards zero; a divisor of 0 raises trap 1."""
    if isinstance(b, int) and b != 0 and not isinstance(a, Symbol):
        constant = _signed_by_constant if signed else _unsigned_by_constant
        x = low.reg(a)
        q = constant(low, x, b)
        if remainder:
            low.emit("sub", d, x, low.emit("mul", low.new(), q, b))
        else:
            low.emit("mov", d, b=q)
        return
    after = low.branch_round()
    _refuse_zero(low, b)
    name = f"__vgpu_{'s' if signed else 'u'}{'rem' if remainder else 'div'}32"
    low.require(name)
    call(low, name, [low.reg(a), low.reg(b)], [d])
    if after is not None:
        low.start(after)


def _refuse_zero(low: Lowering, b: Value) -> None:
    """Raises trap 1 when b is 0, here, so that the fault names the line that divides."""
    zero = low.new(predicate=True)
    low.emit("setp.eq", zero, b, 0)
    low.emit("trap", b=TRAP_DIVISION, guard=zero)


def _unsigned_by_constant(low: Lowering, x: Reg, b: int) -> Value:
    """x / b by a multiplication with its reciprocal (Granlund and Montgomery, 1994)."""
    if b & (b - 1) == 0:
        return low.emit("shr", low.new(), x, b.bit_length() - 1)
    for shift in range(32):
        # m = ceil(2**(32 + shift) / b) serves when its error stays below one part in 2**32
        m = -((1 << (32 + shift)) // -b)
        if m <= MASK32 and m * b - (1 << (32 + shift)) <= 1 << shift:
            high = low.emit("mulhi.u", low.new(), x, m)
            return low.emit("shr", low.new(), high, shift) if shift else high
    shift = (b - 1).bit_length()
    m = -((1 << (32 + shift)) // -b) & MASK32
    high = low.emit("mulhi.u", low.new(), x, m)
    half = low.emit("shr", low.new(), low.emit("sub", low.new(), x, high), 1)
    return low.emit("shr", low.new(), low.emit("add", low.new(), half, high), shift - 1)


def _signed_by_constant(low: Lowering, x: Reg, b: int) -> Value:
    """x / b, rounded towards zero (Hacker's Delight, chapter 10)."""
    divisor = b - (1 << 32) if b >> 31 else b
    size = abs(divisor)
    if size == 1:
        q: Reg = x
    elif size & (size - 1) == 0:
        bits = size.bit_length() - 1
        sign = low.emit("sar", low.new(), x, 31)
        bias = low.emit("shr", low.new(), sign, 32 - bits)
        q = low.emit("sar", low.new(), low.emit("add", low.new(), x, bias), bits)
    else:
        m, shift = _signed_magic(size)
        q = low.emit("mulhi.s", low.new(), x, m & MASK32)
        if m >> 31:
            q = low.emit("add", low.new(), q, x)
        if shift:
            q = low.emit("sar", low.new(), q, shift)
        q = low.emit("add", low.new(), q, low.emit("shr", low.new(), x, 31))
    return low.emit("sub", low.new(), 0, q) if divisor < 0 else q


def _signed_magic(size: int) -> tuple[int, int]:
    """(m, s) with x / size = (m * x >> 32 + s) + (x < 0) for every signed x."""
    shift = 0
    while True:
        m = (1 << (32 + shift)) // size + 1
        if m * size - (1 << (32 + shift)) <= 1 << (shift + 1):
            return m, shift
        shift += 1
