#include "vgpu_prime.h"

// 1 when n is prime, else 0. A base a thread: three for short numbers, seven for long ones.
extern "C" __global__ void isprime(int64_t n, int64_t *out, int *status) {
  int t = threadIdx.x;
  bool plain = n < 2 || (n & 1) == 0;
  if (t == 0) *out = plain ? n == 2 : 1;
  __syncthreads();
  if (plain) return;
  bool composite;
  if (n >> 31 == 0) {
    if (t > 2) return;
    uint32_t base = short_base(t), m = (uint32_t)n;
    if (m == base) return;
    while (base >= m) base -= m;
    composite = base == 0 || witnesses_composite(m, base);
  } else {
    composite = witnesses_composite((uint64_t)n, wide_base(t));
  }
  if (composite) *out = 0;
}
