#include "vgpu_status.h"
#include "vgpu_exact.h"

#define SHORT 31  // the longest list with a thread for every product and another to add

// Any length, by 32 threads: exact sums per thread, then one thread adds each digit up.
__device__ __forceinline__ void long_dot(const int *a, const int *b, int n, int *out, int *status) {
  __shared__ int digits[4][32];
  __shared__ int total[4];
  int t = threadIdx.x;
  Digits mine = sum_of_products(a + t, 32, b + t, 32, (n - t + 31) / 32);
  digits[0][t] = mine.d0;
  digits[1][t] = mine.d1;
  digits[2][t] = mine.d2;
  digits[3][t] = mine.d3;
  __syncthreads();
  if (t < 4) {
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += digits[t][i];
    total[t] = sum;
  }
  __syncthreads();
  if (t == 0) {
    Digits sum = {total[0], total[1], total[2], total[3]};
    store_digits(sum, out, status);
  }
}

// Says OVERFLOWS when the sum of n products that lie in a[0 .. n) and b[0 .. n) does not fit.
__device__ __forceinline__ void check_range(const int *a, const int *b, int n, int *status) {
  int wrapped;
  store_digits(sum_of_products(a, 1, b, 1, n), &wrapped, status);
}

// The sum of products[0 .. n), which are 0 from n to the next multiple of four.
__device__ __forceinline__ int add_up(const unsigned *products, int n) {
  unsigned sum = products[0] + products[1] + products[2] + products[3];
  for (int i = 4; i < n; i += 4)
    sum += products[i] + products[i + 1] + products[i + 2] + products[i + 3];
  return (int)sum;
}

// The dot product of two lists of n numbers; 0 when they are empty. A short list has more
// threads than numbers, up to a multiple of four: n multiply, the last ones add. While they do,
// each of the others looks whether its product is too large for the sum to be safe, and if so
// adds everything up exactly.
extern "C" __global__ void dot(const int *a, const int *b, int n, int *out, int *status) {
  __shared__ unsigned products[SHORT + 1];  // modulo 2**32
  int t = threadIdx.x;
  bool multiplies = t < n;
  int x, y;
  unsigned product = 0;
  if (multiplies) {
    x = a[t];
    y = b[t];
    product = (unsigned)x * (unsigned)y;
  }
  products[t] = product;
  __syncthreads();
  if (!multiplies) {
    *out = add_up(products, n);
  } else if (n > SHORT) {
    long_dot(a, b, n, out, status);
  } else {
    int sign = (int)product >> 31;
    // 31 products of at most 2**26 stay below 2**31.
    if ((high_half(x, y) ^ sign) | (((int)product ^ sign) >> 26)) check_range(a, b, n, status);
  }
}
