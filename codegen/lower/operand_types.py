"""Registers of a type that an instruction does not take (PTX ISA 9.4: operand types must agree).

A `.bX` agrees with every type of its size, the integers of one size agree with each other, and a
floating-point type only with itself. In `ld`, `st` and `cvt` an integer register may be wider. A
register that does not agree holds bits that the rule for the instruction does not reckon with,
so the instruction is rejected before the rule sees it.
"""

from __future__ import annotations

from typing import Final

from codegen.lower.context import Lowering, Opcode, width_of
from codegen.ptx import ast

# What each operand must be, a letter each: T the (last) type of the instruction, t the first of
# two, D the type of a product (twice as wide with .wide), W a word of 32 bits, A an address;
# L and l as T and t, or wider; - something that the rule itself looks at.
_SHAPES: Final = {
    "TT": "abs neg not cnot brev mov cvta",
    "TTT": "add sub addc subc min max and or xor div rem mul24 bmsk",
    "TTTT": "sad mad24 fns prmt dp4a dp2a lop3",
    "DTT": "mul",
    "DTTD": "mad madc",
    "WT": "popc clz bfind",
    "TTW": "shl shr szext redux",
    "TTTW": "shf",
    "TTWW": "bfe",
    "TTTWW": "bfi",
    "-TT": "setp red",
    "tTT": "set",
    "TTT-": "selp",
    "tttT": "slct",
    "L-": "ld ldu",
    "-L": "st",
    "lL": "cvt",
    "T-TT": "atom",
    "TTWWW": "shfl",
    "T-W": "vote",
    "WTW": "match",
    "T": "activemask nanosleep createpolicy",
    "W": "brx",
    "WW": "elect",
    "-A": "isspacep",
}
_SHAPE_OF: Final = {name: shape for shape, names in _SHAPES.items() for name in names.split()}
_PACKED: Final = "WWWW"
"""Of cvt.pack, whose types are those of the parts."""


def check(low: Lowering, i: ast.Instruction, o: Opcode) -> None:
    """Rejects `i` when one of its registers does not agree with it."""
    for operand, letter in zip(i.operands, _shape(o), strict=False):
        if isinstance(operand, ast.Address):
            _check_address(low, operand)
        elif letter == "A":
            _check_address(low, ast.Address(getattr(operand, "text", None), 0))
        elif letter != "-":
            _check(low, operand, _wanted(o, letter), wider=letter in "Ll")


def _shape(o: Opcode) -> str:
    if o.base in ("bar", "barrier"):
        return "TW-" if "red" in o.mods else "WW"
    if o.base == "cvt" and "pack" in o.mods:
        return _PACKED
    return _SHAPE_OF.get(o.base, "-" * 8).ljust(8, "-")


def _wanted(o: Opcode, letter: str) -> str:
    """The type that a letter stands for."""
    if letter == "W" or not o.types:
        return "u32"
    type_ = o.types[0] if letter in "tl" else o.type
    if letter == "D" and "wide" in o.mods and o.width < 64:
        return f"{type_[0]}{2 * o.width}"
    return f"b{width_of(type_)}" if type_.endswith("x2") else type_


def _check(low: Lowering, operand: ast.Operand, wanted: str, *, wider: bool) -> None:
    match operand:
        case ast.Vector(items):
            # parts side by side in a `mov`; in `ld` and `st` each is of the type
            part = wanted if wider else f"b{width_of(wanted) // max(len(items), 1)}"
            for item in items:
                _check(low, item, part, wider=wider or part == "b8")
        case ast.Pair(first):
            _check(low, ast.Name(first), wanted, wider=wider)
        case ast.Name(text) | ast.Not(text) if text in low.types:
            check_register(low, text, wanted, wider=wider)
        case ast.FloatBits() if wanted[0] in "us":
            low.unsupported(f"a floating-point number stands where .{wanted} is expected")
        case ast.Number() if wanted[0] == "f":
            low.unsupported(f"a whole number stands where .{wanted} is expected")


def check_register(low: Lowering, name: str, wanted: str, *, wider: bool = False) -> None:
    """Rejects the current instruction when the register may not stand where `wanted` is."""
    type_ = low.types[name]
    if not _agree(wanted, type_, wider=wider):
        more = " or wider" if wider and wanted[0] != "f" else ""
        low.unsupported(f"{name} is a .{type_} register where .{wanted}{more} is expected")


def _agree(wanted: str, type_: str, *, wider: bool) -> bool:
    """A register of `type_` may stand where the instruction says `wanted`."""
    if "pred" in (wanted, type_):
        return wanted == type_
    kinds = {"f" if "f" in t else "i" if t[0] in "us" else "b" for t in (wanted, type_)}
    if kinds == {"f", "i"}:
        return False
    need, has = width_of(wanted), width_of(type_)
    return has == need or (wider and has > need and "f" not in type_)


def _check_address(low: Lowering, operand: ast.Address) -> None:
    type_ = low.types.get(operand.base or "")
    if type_ is not None and (type_[0] not in "bus" or width_of(type_) not in (32, 64)):
        low.unsupported(f"{operand.base} is a .{type_} register, an address has 32 or 64 bits")
