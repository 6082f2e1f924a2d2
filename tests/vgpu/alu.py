"""Runs one instruction on many operands at once: each lane is a sample. And an oracle for it.

The oracle is written from the PTX ISA's descriptions, on Python integers, and shares nothing with
the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vgpu import isa
from vgpu.engines import Engine
from vgpu.word import layout


def to_signed(x: int, width: int) -> int:
    return x - 2**width if x >= 2 ** (width - 1) else x


def oracle(op: str, width: int, a: int, b: int, c: int) -> int:
    """The value of a register-writing instruction, or the predicate as 0 or 1."""
    modulus = 2**width
    sa, sb = to_signed(a, width), to_signed(b, width)
    match op.split("."):
        case ["mov"]:
            return b
        case ["add"]:
            return (a + b) % modulus
        case ["sub"]:
            return (a - b) % modulus
        case ["mul"]:
            return (a * b) % modulus
        case ["mad"]:
            return (a * b + c) % modulus
        case ["mulhi", "u"]:
            return (a * b) // modulus
        case ["mulhi", "s"]:
            return (sa * sb) // modulus % modulus
        case ["and"]:
            return a & b
        case ["or"]:
            return a | b
        case ["xor"]:
            return a ^ b
        case ["not"]:
            return modulus - 1 - b
        case ["shl"]:
            return (a * 2**b) % modulus if b < width else 0
        case ["shr"]:
            return a // 2**b if b < width else 0
        case ["sar"]:
            return (sa // 2 ** min(b, width)) % modulus
        case ["shf", "l", mode]:
            amount = b % width if mode == "wrap" else min(b, width)
            return (a * modulus + c) * 2**amount // modulus % modulus
        case ["shf", "r", mode]:
            amount = b % width if mode == "wrap" else min(b, width)
            return (c * modulus + a) // 2**amount % modulus
        case ["clz"]:
            return next((i for i in range(width) if b & 1 << (width - 1 - i)), width)
        case ["popc"]:
            return bin(b).count("1")
        case ["brev"]:
            return sum((b >> i & 1) << (width - 1 - i) for i in range(width))
        case ["prmt"]:
            return permuted(width, a, b, c)
        case ["min", "s"]:
            return a if sa <= sb else b
        case ["max", "s"]:
            return a if sa >= sb else b
        case ["min", "u"]:
            return min(a, b)
        case ["max", "u"]:
            return max(a, b)
        case ["setp", relation, *sign]:
            x, y = (sa, sb) if sign == ["s"] else (a, b)
            holds = {
                "eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
            }  # fmt: skip
            return int(holds[relation])
    raise ValueError(op)


def permuted(width: int, a: int, selector: int, c: int) -> int:
    """prmt in generic mode: byte i is chosen by nibble i; its top bit replicates the sign."""
    bits = width // 4
    source = [(x >> bits * i) % 2**bits for x in (a, c) for i in range(4)]
    result = 0
    for i in range(4):
        nibble = selector // 16**i % 16
        chosen = source[nibble % 8]
        if nibble >= 8:
            chosen = 2**bits - 1 if chosen >= 2 ** (bits - 1) else 0
        result += chosen * 2 ** (bits * i)
    return result


OPS = [
    name
    for name, op in isa.OPS.items()
    if (op.writes_register or op.writes_predicate)
    and not op.is_load
    and not op.reads_q
    and not op.writes_carry
    and "warp" not in op.lines
    and name != "s2r"
]


def run_op(
    engine: Engine, op: str, a: Sequence[int], b: Sequence[int], c: Sequence[int]
) -> list[int]:
    """d (or the predicate) of `op` for every sample; at most as many samples as threads."""
    words, count = layout(engine.geometry), len(a)
    lanes = np.arange(count)
    engine.reset()
    code = isa.Instruction(op, rd=3, ra=0, b=1, rc=2).encode()
    engine.step(
        np.concatenate(
            [
                words.pack(1, prog_lo=1, value=code & isa.MASK32),
                words.pack(1, prog_hi=1, value=code >> 32),
                words.pack(1, special=1),
                words.pack(count, start=1, run=1, thread=lanes),
            ]
        )
    )
    for register, values in enumerate((a, b, c)):
        engine.step(words.pack(count, exec=1, thread=lanes, we=1, rd=register, value=values))
    out = engine.step(words.pack(count, exec=1, run=1, thread=lanes))
    assert words.field(out, "addr").tolist() == [1] * count
    if isa.OPS[op].writes_predicate:
        return [int(p) >> 3 & 1 for p in words.field(out, "preds")]
    assert words.field(out, "we").tolist() == [1] * count
    return [int(v) for v in words.field(out, "value")]
