// Sorting a list in place, by the whole block.
#pragma once

template <bool DOWN>
__device__ __forceinline__ void put_in_order(int64_t *a, int n, int low, int high) {
  if (high >= n) return;  // beyond the end stands, as it were, what comes last
  int64_t x = a[low], y = a[high];
  if (DOWN ? x < y : x > y) {
    a[low] = y;
    a[high] = x;
  }
}

// Bitonic merging. The first step of each merge pairs an element with its mirror image, so every
// pair is ordered the same way and n need not be a power of two.
// Pair p has its lower element at p with a 0 put in at the bit `reach`.
template <bool DOWN>
__device__ __forceinline__ void merge_sort(int64_t *a, int n) {
  int t = threadIdx.x, low;
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    for (int p = t; (low = 2 * p - (p & (half - 1))) < n; p += blockDim.x)
      put_in_order<DOWN>(a, n, low, low ^ (2 * half - 1));
    for (int reach = half / 2; reach > 0; reach /= 2) {
      __syncthreads();
      for (int p = t; (low = 2 * p - (p & (reach - 1))) < n; p += blockDim.x)
        put_in_order<DOWN>(a, n, low, low + reach);
    }
  }
  __syncthreads();
}

// Short lists, a thread an element: an element's place is how many must stand before it (equal
// ones keep their order). Nobody waits.
template <bool DOWN>
__device__ __forceinline__ void place_by_rank(const int64_t *a, int n, int64_t *out) {
  int t = threadIdx.x;
  if (t >= n) return;
  int64_t mine = a[t];
  int place = 0;
  for (int j = 0; j < t; j++) place += DOWN ? a[j] >= mine : a[j] <= mine;
  for (int j = t + 1; j < n; j++) place += DOWN ? a[j] > mine : a[j] < mine;
  out[place] = mine;
}

// out[0 .. n) is a[0 .. n) in order.
template <bool DOWN>
__device__ __forceinline__ void sorted(const int64_t *a, int n, int64_t *out) {
  if (n <= 32) {
    place_by_rank<DOWN>(a, n, out);
    return;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i];
  merge_sort<DOWN>(out, n);
}
