"""What the generator can draw. Every feature has a name; a long run must have drawn each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from evals.fuzz.types import NARROW, TYPES, WIDE

COMPLETE_FROM: Final = 200  # kernels after which every feature must have been drawn

# operator → the types that it is drawn for
OPERATORS: Final[dict[str, Iterable[str]]] = {
    **dict.fromkeys(
        ("add", "sub", "mul", "neg", "not", "and", "or", "xor", "shl", "shr", "shift-by-constant",
         "div", "rem", "div-by-constant", "rem-by-constant", "ternary", "literal", "variable",
         "element", "compare", "call"), tuple(TYPES)),
    **dict.fromkeys(("add-exact", "sub-exact", "mul-exact"), ("i8", "u8", "i16", "i32", "i64")),
    **dict.fromkeys(("min", "max"), WIDE),
    "abs": ("i32", "i64"),
    "rotate": ("u32", "u64"),
}  # fmt: skip
INTRINSICS: Final = {
    "__popc": ("i32", "u32"), "__popcll": ("i32", "u64"), "__clz": ("i32", "i32"),
    "__clzll": ("i32", "i64"), "__ffs": ("i32", "i32"), "__ffsll": ("i32", "i64"),
    "__brev": ("u32", "u32"), "__brevll": ("u64", "u64"),
    "__byte_perm": ("u32", "u32", "u32", "u32"), "__mulhi": ("i32", "i32", "i32"),
    "__umulhi": ("u32", "u32", "u32"), "__umul24": ("u32", "u32", "u32"),
    "__mul24": ("i32", "i32", "i32"), "__funnelshift_l": ("u32", "u32", "u32", "u32"),
    "__funnelshift_r": ("u32", "u32", "u32", "u32"),
    "__funnelshift_lc": ("u32", "u32", "u32", "u32"),
    "__funnelshift_rc": ("u32", "u32", "u32", "u32"), "__sad": ("u32", "i32", "i32", "u32"),
    "__usad": ("u32", "u32", "u32", "u32"), "__hadd": ("i32", "i32", "i32"),
    "__uhadd": ("u32", "u32", "u32"),
}  # fmt: skip
COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
ATOMICS: Final = ("Add", "Sub", "Min", "Max", "And", "Or", "Xor")
# statement → the types that it is drawn for
TYPED: Final[dict[str, Iterable[str]]] = {
    **dict.fromkeys(
        ("assign", "array-store", "byte-view", "pointer", "exchange", "vector"), tuple(TYPES)
    ),
    "compound": tuple(TYPES),
    "increment": (*NARROW, "u32", "u64"),
    **dict.fromkeys(("shuffle-idx", "shuffle-up", "shuffle-down", "shuffle-xor"), WIDE),
    **dict.fromkeys((f"atomic{op}" for op in ATOMICS), WIDE),
    **dict.fromkeys(("atomicExch", "atomicCAS", "atomic-result"), WIDE),
}
PLAIN: Final = (
    "if", "if-else", "else-if", "switch", "switch-falls-through", "for-up", "for-down",
    "for-variable", "while", "do-while", "break", "continue", "uniform-for", "uniform-if",
    "array-2d", "global-round-trip", "constant-table", "barrier", "tree-sum", "shared-atomic",
    "dynamic-shared", "ballot", "any", "all", "syncwarp", "atomicInc", "atomicDec", "logical-and",
    "logical-or", "logical-not", "bool", "mixed-types", "function", "function-noinline",
    "function-early-return", "function-recursive", "function-pointer", "function-struct",
    "function-template", "several-blocks", "two-dimensions", "several-warps",
)  # fmt: skip
ALL: Final = frozenset([
    *(f"{op}.{type}" for op, types in OPERATORS.items() for type in types),
    *(f"{stmt}.{type}" for stmt, types in TYPED.items() for type in types),
    *(f"cast.{a}.{b}" for a in TYPES for b in TYPES if a != b),
    *(f"compare.{c}" for c in COMPARISONS), *INTRINSICS, *PLAIN,
])  # fmt: skip


def missing(drawn: Counter[str]) -> list[str]:
    """The features that were never drawn."""
    return sorted(ALL - set(drawn))
