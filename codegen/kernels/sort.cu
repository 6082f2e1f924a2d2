#include "vgpu_status.h"

// Short lists, a thread an element: an element's place is how many must stand before it (equal
// ones keep their order). Nobody waits.
__device__ __forceinline__ void place_by_rank(const int *a, int n, int *out) {
  int t = threadIdx.x;
  if (t >= n) return;
  int mine = a[t];
  int place = 0;
  for (int j = 0; j < t; j++) place += a[j] <= mine;
  for (int j = t + 1; j < n; j++) place += a[j] < mine;
  out[place] = mine;
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
// Pair p has its lower element at p with a 0 put in at the bit `reach`.
__device__ __forceinline__ void merge_sort(const int *a, int n, int *out) {
  int t = threadIdx.x, low;
  for (int i = t; i < n; i += blockDim.x) out[i] = a[i];
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    for (int p = t; (low = 2 * p - (p & (half - 1))) < n; p += blockDim.x)
      order(out, n, low, low ^ (2 * half - 1));
    for (int reach = half / 2; reach > 0; reach /= 2) {
      __syncthreads();
      for (int p = t; (low = 2 * p - (p & (reach - 1))) < n; p += blockDim.x)
        order(out, n, low, low + reach);
    }
  }
}

// A list in ascending order
extern "C" __global__ void sort(const int *a, int n, int *out, int *status) {
  if (n <= 32)
    place_by_rank(a, n, out);
  else
    merge_sort(a, n, out);
}
