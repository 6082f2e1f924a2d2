"""A kernel that the compiler computed is reported; one that the network computes is not."""

from __future__ import annotations

import pytest

import codegen

FOLDED = [
    "__global__ void k(int *out) { *out = 6 * 7; }",
    "__global__ void k(const int *a, int *out) { out[0] = a[0] * 0 + 3; out[1] = 4; }",
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
]


@pytest.mark.parametrize("source", FOLDED)
def test_a_constant_result_is_folded(source: str) -> None:
    assert codegen.compile_source(source).stats["folded"] == 1


@pytest.mark.parametrize("source", COMPUTED)
def test_a_result_of_the_inputs_or_the_thread_is_not(source: str) -> None:
    assert codegen.compile_source(source).stats["folded"] == 0
