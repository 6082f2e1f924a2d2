"""CUDA's functions of a warp or a block that come down to one PTX instruction."""

from __future__ import annotations

from functools import reduce
from operator import and_, or_, xor

import pytest

import codegen
import vgpu
from codegen.clang import find_clang

pytestmark = pytest.mark.skipif(find_clang() is None, reason="no clang")
THREADS = 40
SOURCE = """
__global__ void k(const int *a, unsigned *out) {
    int i = threadIdx.x, same;
    unsigned *row = out + 12 * i, v = (unsigned)a[i];
    unsigned whole = 0xffffffff;
    row[0] = __syncthreads_count(a[i] > 2);
    row[1] = 10 * (__syncthreads_and(a[i] > -9) != 0) + (__syncthreads_or(a[i] == 77) != 0);
    row[2] = __reduce_add_sync(whole, a[i]);
    row[3] = __reduce_min_sync(whole, a[i]) ^ (int)__reduce_max_sync(whole, v);
    row[4] = __reduce_and_sync(whole, v | 5);
    row[5] = __reduce_or_sync(whole, v);
    row[6] = __reduce_xor_sync(whole, v);
    row[7] = __match_any_sync(whole, a[i] & 3);
    row[8] = __match_all_sync(whole, (long long)i >> 5, &same) + same;
    row[9] = __match_any_sync(whole, (unsigned long long)(a[i] & 1) << 40);
    row[10] = __fns(v, 0, 3);
    row[11] = __fns(v, 31, -2);
}
"""


def test_every_function() -> None:
    values = [(n * n * 37 - 300) % 1001 - 8 for n in range(THREADS)]
    run = vgpu.Machine("interpreter").run(
        codegen.compile_source(SOURCE), {"a": values}, {"out": ("u32", 12 * THREADS)}, block=THREADS
    )
    everybody = [sum(v > 2 for v in values), 10 * all(v > -9 for v in values) + (77 in values)]
    for warp in (range(32), range(32, THREADS)):
        own = [values[t] for t in warp]
        words = [v & 0xFFFFFFFF for v in own]
        for t in warp:
            bits = [n for n in range(32) if values[t] >> n & 1]
            assert run.outputs["out"][12 * t : 12 * t + 12] == [
                *everybody,
                sum(own) & 0xFFFFFFFF,
                min(own) & 0xFFFFFFFF ^ max(words),
                reduce(and_, (w | 5 for w in words)), reduce(or_, words), reduce(xor, words),
                sum(1 << u % 32 for u in warp if values[u] & 3 == values[t] & 3),
                (1 << len(warp)) & 0xFFFFFFFF,
                sum(1 << u % 32 for u in warp if values[u] & 1 == values[t] & 1),
                bits[2] if len(bits) > 2 else 0xFFFFFFFF,
                bits[-2] if len(bits) > 1 else 0xFFFFFFFF,
            ]  # fmt: skip
