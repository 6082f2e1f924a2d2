#include "vgpu_lists.h"

#define SHORT 31  // the longest list with a thread for every product and another to add

// Any length, by 32 threads.
__device__ __forceinline__ void long_dot(const int64_t *a, const int64_t *b, int n, int64_t *out,
                                         int *status) {
  int t = threadIdx.x;
  Products sum = reduce(sum_of_products(a + t, 32, b + t, 32, (n - t + 31) / 32));
  if (t == 0) store_sum(sum, out, status);
}

// Is a from -2**28 to 2**28 - 1? 31 products of such numbers stay below 2**63.
__device__ __forceinline__ bool is_safe(int64_t a) { return (int)(a >> 32) == (int)a >> 28; }

// The sum modulo 2**64 of products[0 .. n), which are 0 from n to the next multiple of four.
__device__ __forceinline__ uint64_t add_up(const uint64_t *products, int n) {
  uint64_t sum = products[0] + products[1] + products[2] + products[3];
  for (int i = 4; i < n; i += 4)
    sum += products[i] + products[i + 1] + products[i + 2] + products[i + 3];
  return sum;
}

// The dot product of two lists of n numbers; 0 when they are empty. A short list has more
// threads than numbers, up to a multiple of four: n multiply, the last ones add. While they do,
// each of the others looks whether its product is too large for the sum to be safe, and if so
// adds everything up exactly, to see whether it fits.
extern "C" __global__ void dot(const int64_t *a, const int64_t *b, int n, int64_t *out,
                               int *status) {
  __shared__ uint64_t products[SHORT + 1];  // modulo 2**64
  if (n > SHORT) {
    long_dot(a, b, n, out, status);
    return;
  }
  int t = threadIdx.x;
  if (t >= n) {
    products[t] = 0;
    __syncthreads();
    *out = (int64_t)add_up(products, n);
    return;
  }
  int64_t x = a[t], y = b[t];
  products[t] = (uint64_t)x * (uint64_t)y;
  __syncthreads();
  if (is_safe(x) && is_safe(y)) return;
  if (does_not_fit(sum_of_products(a, 1, b, 1, n))) *status = OVERFLOWS;
}
