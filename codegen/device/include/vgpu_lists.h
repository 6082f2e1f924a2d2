// What the prebuilt kernels on lists share: reductions by the whole block. blockDim.x is a
// power of two, at most 32, and every thread of the block must call them.
#pragma once

#include "vgpu_exact.h"

// What a reduction keeps: `combine` takes in another thread's.
struct Least {
  int64_t value;
};

__device__ __forceinline__ void combine(Least &mine, const Least &other) {
  mine.value = min(mine.value, other.value);
}

struct Greatest {
  int64_t value;
};

__device__ __forceinline__ void combine(Greatest &mine, const Greatest &other) {
  mine.value = max(mine.value, other.value);
}

// Rounds of a reduction: in each, a thread takes in what the one `REACH` above it has so far.
// Two buffers take turns, so one barrier a round is enough. What comes from beyond the block
// never reaches thread 0, which ends with the whole; written out, as a loop costs twice as much.
template <int REACH, typename T>
__device__ __forceinline__ void reduce_from(T &mine, T (&buffers)[2][48]) {
  if constexpr (REACH < 32) {
    if (REACH < blockDim.x) {
      T *buffer = buffers[REACH == 1 || REACH == 4 || REACH == 16];
      buffer[threadIdx.x] = mine;
      __syncthreads();
      combine(mine, buffer[threadIdx.x + REACH]);
      reduce_from<2 * REACH>(mine, buffers);
    }
  }
}

template <typename T>
__device__ __forceinline__ T reduce(T mine) {
  __shared__ T buffers[2][48];
  reduce_from<1>(mine, buffers);
  return mine;
}

// The sum of a[0 .. n), right in thread 0.
__device__ __forceinline__ Sum block_sum(const int64_t *a, int n) {
  Sum mine = {0, 0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x) combine(mine, extended(a[i]));
  return reduce(mine);
}

// The least or greatest of a[0 .. n), right in thread 0; n is at least 1.
template <typename T>
__device__ __forceinline__ int64_t block_extreme(const int64_t *a, int n) {
  int t = threadIdx.x;
  T mine = {a[t < n ? t : 0]};  // a thread without an element of its own starts from the first
  for (int i = t + blockDim.x; i < n; i += blockDim.x) combine(mine, T{a[i]});
  return reduce(mine).value;
}

// The sum of 64-bit numbers divided by n, rounded down; n is above 0. Long division, word by word:
// of a negative number -x the quotient rounded down is -1 - (x - 1) / n, and x - 1 is the
// complement of -x.
__device__ __forceinline__ int64_t floor_mean(const Sum &sum, int n) {
  uint32_t sign = (uint32_t)((int)sum.high >> 31);
  uint32_t low = sum.low ^ sign, middle = sum.middle ^ sign, high = sum.high ^ sign;
  uint32_t upper = 0, lower;
  if ((middle | high) == 0) {
    lower = low / n;
  } else {
    uint64_t above = pair(middle, high);  // at most n * 2**31
    uint64_t first = above / (uint32_t)n;
    upper = low_word(first);
    lower = low_word(pair(low, low_word(above) - upper * n) / (uint32_t)n);
  }
  return (int64_t)pair(lower ^ sign, upper ^ sign);
}
