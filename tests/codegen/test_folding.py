"""A kernel that the compiler computed is reported; one that the network computes is not."""

from __future__ import annotations

import pytest

import codegen

FOLDED = [
    "__global__ void k(int *out) { *out = 6 * 7; }",
    "__global__ void k(const int *a, int *out) { out[0] = a[0] * 0 + 3; out[1] = 4; }",
    # a loop that is unrolled and folded away; a function computed by clang
    "__global__ void k(int *out) { int s = 0;\n#pragma unroll\n"
    "for (int i = 0; i < 5; i++) s += i;\n*out = s; }",
    "constexpr int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
    "__global__ void k(long *out) { constexpr int x = f(20); *out = x * 1000000007l; }",
    # the thread only decides where a constant goes
    "__global__ void k(int *out) { if (threadIdx.x == 0 && blockIdx.x == 0) *out = 42; }",
    "__constant__ int c[3] = {2, 3, 5};\n"
    "__global__ void k(int *out) { out[threadIdx.x] = c[threadIdx.x]; }",
    "__global__ void k(int *out) { __shared__ int s[2]; s[0] = 5; __syncthreads(); *out = s[0]; }",
]
COMPUTED = [
    # clang keeps this loop: the sum is made in the network.
    "__global__ void k(int *out) { int s = 0; for (int i = 0; i < 5; i++) s += i; out[2] = s; }",
    "__global__ void k(const int *a, int *out) { *out = a[0] + 1; }",
    "__global__ void k(int *out, int n) { *out = n * 2; }",
    "__global__ void k(int *out) { out[threadIdx.x] = threadIdx.x * threadIdx.x; }",
    "__global__ void k(const int *a, int *out) { *out = a[0] > 3 ? 10 : 20; }",
    "__global__ void k(const int *a, int *out) { out[a[0]] = 1; }",
    "__global__ void k(const int *a, int *out) { if (a[0] == 2) *out = 5; }",
    "__global__ void k(int *out, int n) { if (n > 2) { out[0] = 1; } else { out[1] = 1; } }",
    # one output is a constant, the other is not
    "__global__ void k(const int *a, int *out) { out[0] = 42; out[1] = a[0] + 1; }",
    "__constant__ int c[3] = {2, 3, 5};\n"
    "__global__ void k(int *out) { int s = 0; for (int x : c) s += x; *out = s; }",
    "__global__ void k(int *out) { out[threadIdx.x] = 0; "
    "for (unsigned d = 2; d < threadIdx.x; d++) if (threadIdx.x % d == 0) out[threadIdx.x] = 1; }",
    "__global__ void k(int *out) { atomicAdd(out, 5); }",
    "__global__ void k(int *out, int n) { out[0] = n; }",
    "__global__ void k(int *out) { volatile int x = 3; *out = x * 2; }",
]


@pytest.mark.parametrize("source", FOLDED)
def test_a_constant_result_is_folded(source: str) -> None:
    assert codegen.compile_source(source).stats["folded"] == 1


@pytest.mark.parametrize("source", COMPUTED)
def test_a_result_of_the_inputs_or_the_thread_is_not(source: str) -> None:
    assert codegen.compile_source(source).stats["folded"] == 0
