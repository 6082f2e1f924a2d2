"""The functions of CUDA on the bytes or the halves of a word equal their definitions."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import pytest

import codegen
import vgpu
from codegen.clang import find_clang

pytestmark = pytest.mark.skipif(find_clang() is None, reason="no clang")
CORNERS: Final = (0, 1, 0x7F80, 0x80FF, 0xFFFFFFFF, 0x80008000, 0x7FFF8001, 0x80808080, 0x01FF7F80)
DRAWN: Final = random.Random(1)
WORDS: Final = [(a, b) for a in CORNERS for b in CORNERS][:81] + [
    (DRAWN.getrandbits(32), DRAWN.getrandbits(32)) for _ in range(47)
]
# name → (whether the parts are signed, what is made of two)
LAWS: Final[dict[str, tuple[bool, Callable[[int, int], int]]]] = {
    "__vadd": (False, lambda x, y: x + y), "__vsub": (False, lambda x, y: x - y),
    "__vminu": (False, min), "__vmaxu": (False, max), "__vmins": (True, min),
    "__vmaxs": (True, max), "__vabsdiffu": (False, lambda x, y: abs(x - y)),
    "__vabsdiffs": (True, lambda x, y: abs(x - y)),
    "__vavgu": (False, lambda x, y: (x + y + 1) >> 1),
    "__vhaddu": (False, lambda x, y: (x + y) >> 1), "__vsubus": (False, lambda x, y: max(x - y, 0)),
    "__vcmpeq": (False, lambda x, y: -(x == y)), "__vcmpgtu": (False, lambda x, y: -(x > y)),
    "__vcmples": (True, lambda x, y: -(x <= y)), "__vsetne": (False, lambda x, y: int(x != y)),
    "__vsetlts": (True, lambda x, y: int(x < y)),
}  # fmt: skip


def parts(word: int, width: int, signed: bool) -> list[int]:
    whole = word.to_bytes(4, "little")
    size = width // 8
    return [
        int.from_bytes(whole[at : at + size], "little", signed=signed) for at in range(0, 4, size)
    ]


def law(name: str, a: int, b: int, width: int) -> int:
    signed, of = LAWS[name]
    made = map(of, parts(a, width, signed), parts(b, width, signed))
    return sum((value & (1 << width) - 1) << width * at for at, value in enumerate(made))


@pytest.mark.parametrize("count", [2, 4])
def test_packed_functions(count: int) -> None:
    calls = "".join(f"o[i * {len(LAWS)} + {n}] = {f}{count}(x, y);" for n, f in enumerate(LAWS))
    source = (
        "__global__ void k(const unsigned *a, const unsigned *b, unsigned *o) {"
        f"unsigned i = threadIdx.x, x = a[i], y = b[i]; {calls} }}"
    )
    program = codegen.compile_source(source)
    inputs = {n: vgpu.Array("u32", [w[at] for w in WORDS]) for at, n in enumerate("ab")}
    outputs = {"o": ("u32", len(WORDS) * len(LAWS))}
    got = vgpu.Machine("interpreter").run(program, inputs, outputs, block=len(WORDS)).outputs["o"]
    wanted = [law(name, a, b, 32 // count) for a, b in WORDS for name in LAWS]
    assert got == wanted
