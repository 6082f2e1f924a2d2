#include "vgpu_status.h"

// The sum of the decimal digits, the sign left out. Three threads: seven digits each.
extern "C" __global__ void digitsum(int64_t n, int64_t *out, int *status) {
  __shared__ int sums[3];
  int t = threadIdx.x;
  uint64_t part = magnitude(n);
  for (int i = 0; i < t; i++) part /= 10000000;
  uint32_t digits = (uint32_t)(part % 10000000);
  int sum = 0;
  for (; digits != 0; digits /= 10) sum += digits % 10;
  sums[t] = sum;
  __syncthreads();
  if (t == 0) *out = sums[0] + sums[1] + sums[2];
}
