#include "vgpu_wide.h"

// x * y, all 128 bits, signed.
__device__ __forceinline__ Quad signed_product(int64_t x, int64_t y) {
  if (is_short(x) && is_short(y)) {
    int64_t low = (int64_t)(int)x * (int)y;
    return {(uint64_t)low, (uint64_t)(low >> 63)};
  }
  Quad all = full_product((uint64_t)x, (uint64_t)y);
  all.high -= ((uint64_t)(x >> 63) & (uint64_t)y) + ((uint64_t)(y >> 63) & (uint64_t)x);
  return all;
}

// (x * y - z * w) / divisor, which is whole: shifted by the divisor's twos, then times the inverse
// of its odd part modulo 2**64. Whether that was all of it is seen by multiplying back.
__device__ __forceinline__ bool quotient_of_minors(int64_t x, int64_t y, int64_t z, int64_t w,
                                                   int64_t divisor, int twos, uint64_t inverse,
                                                   int64_t &result) {
  Quad more = signed_product(x, y), less = signed_product(z, w);
  Quad all = {more.low - less.low, more.high - less.high - (more.low < less.low)};
  uint64_t shifted = all.low;
  if (twos != 0) shifted = shifted >> twos | all.high << 1 << (63 - twos);
  result = (int64_t)(shifted * inverse);
  Quad back = signed_product(result, divisor);
  return back.low == all.low && back.high == all.high;
}

// The determinant of an n x n matrix, without fractions (Bareiss): in place, every element is a
// minor of the matrix. Thread (x, y) keeps columns x, x + blockDim.x, ... of rows y, ...
extern "C" __global__ void det(int64_t *a, int n, int64_t *out, int *status) {
  int64_t divisor = 1;
  bool negative = false, singular = false;
  int trouble = OK;
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k + 1 < n; k++) {
    __syncthreads();
    int pivot = k;
    while (pivot < n && a[pivot * n + k] == 0) pivot++;
    if (pivot == n) {  // a column of zeros
      singular = true;
      break;
    }
    int64_t top = a[pivot * n + k];
    int twos = 0;
    uint64_t odd = (uint64_t)divisor;
    for (; (odd & 1) == 0; odd = (uint64_t)((int64_t)odd >> 1)) twos++;
    uint64_t inverse = odd;
    for (int i = 0; i < 5; i++) inverse *= 2 - odd * inverse;
    if (pivot != k) {
      negative = !negative;
      __syncthreads();
      if (y == 0)
        for (int j = x; j < n; j += blockDim.x) {
          int64_t swapped = a[pivot * n + j];
          a[pivot * n + j] = a[k * n + j];
          a[k * n + j] = swapped;
        }
      __syncthreads();
    }
    for (int i = k + 1 + y; i < n; i += blockDim.y)
      for (int j = k + 1 + x; j < n; j += blockDim.x) {
        int64_t *element = a + i * n + j;
        int64_t left = a[i * n + k], above = a[k * n + j];
        int64_t own = *element, first = top;
        if (negative && k + 2 == n) {  // an odd number of swaps: the determinant's sign turns
          int64_t kept = own;
          own = left;
          left = kept;
          first = above;
          above = top;
        }
        bool fits = quotient_of_minors(own, first, left, above, divisor, twos, inverse, *element);
        // What does not fit is a minor on the way, or in the last step the determinant.
        if (!fits && trouble == OK) trouble = k + 2 < n ? BEYOND : OVERFLOWS;
      }
    divisor = top;
  }
  if (trouble == OVERFLOWS) *status = OVERFLOWS;
  __syncthreads();
  if (trouble == BEYOND) *status = BEYOND;
  __syncthreads();
  if ((x | y) != 0 || singular || *status != OK) return;
  *out = a[n * n - 1];
}
