#include "vgpu_status.h"

// Short lists: an element's place is how many must stand before it (equal ones keep their
// order). Every thread places its own element; nobody waits.
__device__ __forceinline__ void place_by_rank(const int *a, int n, int *out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int mine = a[i];
    int place = 0;
    for (int j = 0; j < i; j++) place += a[j] <= mine;
    for (int j = i + 1; j < n; j++) place += a[j] < mine;
    out[place] = mine;
  }
}

__device__ __forceinline__ void order(int *out, int n, int low, int high) {
  if (high >= n) return;  // beyond the end stands, as it were, infinity
  int x = out[low], y = out[high];
  if (x > y) {
    out[low] = y;
    out[high] = x;
  }
}

// Long lists: bitonic merging. The first step of each merge pairs an element with its mirror
// image, so every pair is ordered the same way and n need not be a power of two.
__device__ __forceinline__ void merge_sort(const int *a, int n, int *out) {
  int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) out[i] = a[i];
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x)
      if ((i & half) == 0) order(out, n, i, i ^ (2 * half - 1));
    for (int reach = half / 2; reach > 0; reach /= 2) {
      __syncthreads();
      for (int i = t; i < n; i += blockDim.x)
        if ((i & reach) == 0) order(out, n, i, i + reach);
    }
  }
}

// A list in ascending order
extern "C" __global__ void sort(const int *a, int n, int *out, int *status) {
  if (n <= 64)
    place_by_rank(a, n, out);
  else
    merge_sort(a, n, out);
}
