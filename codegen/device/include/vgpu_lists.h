// Sums over a list by the whole block. blockDim.x is a power of two, at most LANES.
#pragma once

#define LANES 32

// low + high * 2**16, with low at least 0.
struct Sum {
  int low, high;
};

// The sum of a[0 .. n): exact, and right in thread 0. Every thread of the block must call it.
// Each round reads what the round before left, so two buffers take turns; what a thread adds
// from beyond the block is never used.
__device__ __forceinline__ Sum block_sum(const int *a, int n) {
  __shared__ int low[2][2 * LANES], high[2][2 * LANES];
  int t = threadIdx.x;
  Sum sum = {0, 0};
  for (int i = t; i < n; i += blockDim.x) {
    sum.low += a[i] & 0xffff;
    sum.high += a[i] >> 16;
  }
  int turn = 0;
  for (int reach = 1; reach < blockDim.x; reach *= 2) {
    low[turn][t] = sum.low;
    high[turn][t] = sum.high;
    __syncthreads();
    sum.low += low[turn][t + reach];
    sum.high += high[turn][t + reach];
    turn ^= 1;
  }
  return sum;
}
