"""Instructions for the native loops: one, eight or 32 lanes of fp32 held in registers.

Numba's own loops over lanes store the accumulator after every weight. These intrinsics keep it in
registers for a whole row. Addresses are plain integers (`array.ctypes.data`); streams are fp32,
lanes innermost.
"""

# The signatures are those that numba asks of an intrinsic.
# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 8  # of one vector
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_INT = ir.IntType(64)
_INDEX = ir.IntType(32)


class _Block:
    """A block of lanes: one scalar, or `vectors` vectors of eight."""

    def __init__(self, builder: Any, vectors: int) -> None:
        self.builder = builder
        self.kind = _VECTOR if vectors else _FLOAT
        self.flags = ir.IntType(LANES if vectors else 1)
        self.offsets = [_INT(4 * LANES * k) for k in range(max(vectors, 1))]

    def constant(self, value: float) -> Any:
        return ir.Constant(self.kind, [value] * LANES if self.kind is _VECTOR else value)

    def load(self, address: Any, kind: Any = None) -> Any:
        pointer = self.builder.inttoptr(address, (kind or self.kind).as_pointer())
        return self.builder.load(pointer, align=4)

    def store(self, value: Any, address: Any) -> None:
        pointer = self.builder.inttoptr(address, value.type.as_pointer())
        self.builder.store(value, pointer, align=4)

    def splat(self, value: Any) -> Any:
        if self.kind is _FLOAT:
            return value
        nothing = ir.Constant(_VECTOR, ir.Undefined)
        vector = self.builder.insert_element(nothing, value, _INDEX(0))
        mask = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
        return self.builder.shuffle_vector(vector, nothing, mask)

    def dot(self, args: Any) -> list[Any]:
        """Sum over entries begin to end of value[e] * stream[column[e], lanes of the block]."""
        stream, stride, column, value, begin, end = args
        b = self.builder
        sums = [cgutils.alloca_once(b, self.kind) for _ in self.offsets]
        for cell in sums:
            b.store(self.constant(0.0), cell)
        with cgutils.for_range_slice(b, begin, end, _INT(1), intp=_INT) as (entry, _):
            step = b.mul(entry, _INT(4))
            at = b.sext(self.load(b.add(column, step), _INDEX), _INT)
            weight = self.splat(self.load(b.add(value, step), _FLOAT))
            row = b.add(stream, b.mul(at, stride))
            for offset, cell in zip(self.offsets, sums, strict=True):
                product = b.fmul(weight, self.load(b.add(row, offset)))
                b.store(b.fadd(b.load(cell), product), cell)
        return [b.load(cell) for cell in sums]


def make_dot(vectors: int) -> Any:
    @intrinsic
    def dot(typingctx, stream, stride, column, value, begin, end, out):
        """out[lanes] = the row's dot product with every lane's stream."""

        def codegen(context, builder, signature, args):
            block = _Block(builder, vectors)
            for offset, total in zip(block.offsets, block.dot(args[:6]), strict=True):
                block.store(total, builder.add(args[6], offset))
            return context.get_dummy_value()

        return types.void(*[types.int64] * 7), codegen

    return dot


def make_gate(vectors: int) -> Any:
    @intrinsic
    def gate(typingctx, stream, stride, column, value, begin, end, out):
        """out[lanes] = max(dot, 0). Bit 0 of the result: some lane is positive; bit 1: some lane
        lies where SiLU is neither x nor 0, so that the caller must compute it in full."""

        def codegen(context, builder, signature, args):
            block = _Block(builder, vectors)
            zero = block.constant(0.0)
            lit, odd = block.flags(0), block.flags(0)
            for offset, x in zip(block.offsets, block.dot(args[:6]), strict=True):
                positive = builder.fcmp_ordered(">", x, zero)
                block.store(builder.select(positive, x, zero), builder.add(args[6], offset))
                between = builder.and_(
                    builder.fcmp_ordered(">", x, block.constant(-104.0)),
                    builder.fcmp_ordered("<", x, block.constant(18.0)),
                )
                between = builder.and_(between, builder.fcmp_ordered("!=", x, zero))
                lit = builder.or_(lit, builder.bitcast(positive, block.flags))
                odd = builder.or_(odd, builder.bitcast(between, block.flags))
            some = builder.zext(builder.icmp_unsigned("!=", lit, block.flags(0)), _INT)
            strange = builder.zext(builder.icmp_unsigned("!=", odd, block.flags(0)), _INT)
            return builder.or_(some, builder.shl(strange, _INT(1)))

        return types.int64(*[types.int64] * 7), codegen

    return gate


def make_axpy(vectors: int) -> Any:
    @intrinsic
    def axpy(typingctx, target, weight, source):
        """target[lanes] += weight * source[lanes]."""

        def codegen(context, builder, signature, args):
            block = _Block(builder, vectors)
            factor = block.splat(args[1])
            for offset in block.offsets:
                address = builder.add(args[0], offset)
                product = builder.fmul(factor, block.load(builder.add(args[2], offset)))
                block.store(builder.fadd(block.load(address), product), address)
            return context.get_dummy_value()

        return types.void(types.int64, types.float32, types.int64), codegen

    return axpy


def make_multiply(vectors: int) -> Any:
    @intrinsic
    def multiply(typingctx, target, source):
        """target[lanes] *= source[lanes]."""

        def codegen(context, builder, signature, args):
            block = _Block(builder, vectors)
            for offset in block.offsets:
                address = builder.add(args[0], offset)
                other = block.load(builder.add(args[1], offset))
                block.store(builder.fmul(block.load(address), other), address)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), codegen

    return multiply


dot1, dot8, dot32 = (make_dot(n) for n in (0, 1, 4))
gate1, gate8, gate32 = (make_gate(n) for n in (0, 1, 4))
axpy1, axpy8, axpy32 = (make_axpy(n) for n in (0, 1, 4))
multiply1, multiply8, multiply32 = (make_multiply(n) for n in (0, 1, 4))
