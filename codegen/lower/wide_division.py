"""Division and remainder in 64 bits: by a constant inline, else a call of the device library."""

from __future__ import annotations

from codegen.lower import wide
from codegen.lower.calls import call
from codegen.lower.context import Lowering
from codegen.lower.division import TRAP_DIVISION
from codegen.lower.mir import Value
from codegen.lower.wide import MASK64, Pair
from codegen.ptx import ast

_ROUTINE = "__vgpu_udivmod64"


def divide(
    low: Lowering, d: ast.Operand, a: Pair, b: Pair, *, signed: bool, remainder: bool
) -> None:
    """d = a / b, or a % b, rounded towards zero; a divisor of 0 raises trap 1."""
    divisor = wide.number_of(b)
    if divisor:
        wide.put(low, d, _by_constant(low, a, divisor, signed, remainder))
        return
    after = low.branch_round()
    _refuse_zero(low, b)
    wide.put(low, d, _by_variable(low, a, b, signed, remainder))
    if after is not None:
        low.start(after)


def _refuse_zero(low: Lowering, b: Pair) -> None:
    """Raises trap 1 when b is 0, here, so that the fault names the line that divides."""
    zero, negated = wide.equal(low, b, (0, 0))
    low.emit("trap", b=TRAP_DIVISION, guard=zero, gneg=negated)


def _by_variable(low: Lowering, a: Pair, b: Pair, signed: bool, remainder: bool) -> Pair:
    if not signed:
        return _call(low, a, b, remainder)
    sign: Value = low.emit("sar", low.new(), a[1], 31)
    x, y = _negated_if(low, a, sign), wide.magnitude(low, b)
    result = _call(low, x, y, remainder)
    if not remainder:
        sign = low.emit("sar", low.new(), low.emit("xor", low.new(), a[1], b[1]), 31)
    return _negated_if(low, result, sign)


def _call(low: Lowering, a: Pair, b: Pair, remainder: bool) -> Pair:
    low.require(_ROUTINE)
    results = [low.new() for _ in range(4)]
    call(low, _ROUTINE, [low.reg(word) for word in (*a, *b)], results)
    return (results[2], results[3]) if remainder else (results[0], results[1])


def _negated_if(low: Lowering, a: Pair, sign: Value) -> Pair:
    """-a where `sign` is all ones, a where it is 0."""
    return wide.subtract(low, wide.bitwise(low, "xor", a, (sign, sign)), (sign, sign))


# ---- constants ----------------------------------------------------------------------------------


def _by_constant(low: Lowering, a: Pair, b: int, signed: bool, remainder: bool) -> Pair:
    if not signed:
        q = _unsigned_by_constant(low, a, b, MASK64)
        return _rest(low, a, q, b) if remainder else q
    negative = b >> 63
    size = (1 << 64) - b if negative else b
    if size & (size - 1) == 0:
        q = _signed_by_power(low, a, size.bit_length() - 1)
        if remainder:
            return _rest(low, a, q, size)
        return wide.subtract(low, (0, 0), wide.registers(low, q)) if negative else q
    sign: Value = low.emit("sar", low.new(), a[1], 31)
    x = _negated_if(low, a, sign)
    q = _unsigned_by_constant(low, x, size, 1 << 63)
    if remainder:
        return _negated_if(low, _rest(low, x, q, size), sign)
    if negative:
        sign = low.emit("not", low.new(), b=sign)
    return _negated_if(low, q, sign)


def _rest(low: Lowering, a: Pair, q: Pair, b: int) -> Pair:
    """a - q * b."""
    if b & (b - 1) == 0:
        return wide.subtract(low, a, wide.shift_left(low, q, b.bit_length() - 1))
    return wide.subtract(low, a, wide.product(low, q, wide.constant(b)))


def _signed_by_power(low: Lowering, a: Pair, bits: int) -> Pair:
    """a / 2**bits, rounded towards zero: a negative dividend is first raised by 2**bits - 1."""
    if bits == 0:
        return a
    sign: Value = low.emit("sar", low.new(), a[1], 31)
    bias = wide.shift_right(low, (sign, sign), 64 - bits, False)
    return wide.shift_right(low, wide.add(low, a, bias), bits, True)


def _unsigned_by_constant(low: Lowering, x: Pair, b: int, most: int) -> Pair:
    """x / b for x up to `most`, by a multiplication with its reciprocal.

    Granlund and Montgomery (1994): m = ceil(2**(64 + s) / b) serves when m * b passes 2**(64 + s)
    by so little that it does not count in any x.
    """
    if b & (b - 1) == 0:
        return wide.shift_right(low, x, b.bit_length() - 1, False)
    even = (b & -b).bit_length() - 1
    found = _reciprocal(b, most)
    if found is None and even:
        x, b, most = wide.shift_right(low, x, even, False), b >> even, most >> even
        found = _reciprocal(b, most)
    if found is not None:
        m, shift = found
        high = wide.high_product(low, x, wide.constant(m), False)
        return wide.shift_right(low, high, shift, False)
    # m has 65 bits: its highest is added by hand, halved so as not to pass 64
    shift = (b - 1).bit_length()
    m = -((1 << (64 + shift)) // -b)
    high = wide.high_product(low, x, wide.constant(m), False)
    half = wide.shift_right(low, wide.subtract(low, x, high), 1, False)
    return wide.shift_right(low, wide.add(low, half, high), shift - 1, False)


def _reciprocal(b: int, most: int) -> tuple[int, int] | None:
    """(m, s) of at most 64 bits with x // b = m * x >> 64 + s, for every x up to `most`."""
    for shift in range(64):
        m = -((1 << (64 + shift)) // -b)
        if m <= MASK64 and (m * b - (1 << (64 + shift))) * most < 1 << (64 + shift):
            return m, shift
    return None
