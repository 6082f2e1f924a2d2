// The least or the greatest of a list, by the whole block.
#pragma once

#define LANES 32

// Stores the extreme of a[0 .. n). blockDim.x is a power of two, at most LANES and at most
// the next power of two above n - 1. Two buffers take turns, as in vgpu_lists.h.
template <bool GREATEST>
__device__ __forceinline__ void store_extreme(const int *a, int n, int *out, int *status) {
  __shared__ int best[2][2 * LANES];
  int t = threadIdx.x;
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  // A thread without an element of its own starts from the first.
  int mine = a[t < n ? t : 0];
  for (int i = t + blockDim.x; i < n; i += blockDim.x)
    mine = GREATEST ? max(mine, a[i]) : min(mine, a[i]);
  int turn = 0;
  for (int reach = 1; reach < blockDim.x; reach *= 2) {
    best[turn][t] = mine;
    __syncthreads();
    int other = best[turn][t + reach];
    mine = GREATEST ? max(mine, other) : min(mine, other);
    turn ^= 1;
  }
  if (t == 0) *out = mine;
}
