// Exact sums on a 32-bit machine: a number is cut into 16-bit digits and each digit is summed
// in a register of its own. 4,096 terms (all that memory holds) cannot overflow one.
#pragma once

#include "vgpu_high.h"

// d0 + d1 * 2**16 + d2 * 2**32 + d3 * 2**48; only the highest digit in use is signed.
struct Digits {
  int d0, d1, d2, d3;
};

// Adds a * b: 64 bits, four digits.
__device__ __forceinline__ void add_product(Digits &sum, int a, int b) {
  unsigned low = (unsigned)a * (unsigned)b;
  int high = high_half(a, b);
  sum.d0 += (int)(low & 0xffffu);
  sum.d1 += (int)(low >> 16);
  sum.d2 += high & 0xffff;
  sum.d3 += high >> 16;
}

// The sum of `terms` products of every a_step-th element of a and every b_step-th of b.
__device__ __forceinline__ Digits sum_of_products(const int *a, int a_step, const int *b, int b_step,
                                                  int terms) {
  Digits sum = {0, 0, 0, 0};
  for (; terms > 0; terms--) {
    add_product(sum, *a, *b);
    a += a_step;
    b += b_step;
  }
  return sum;
}

// Carries, then stores the sum, or says that it does not fit.
__device__ __forceinline__ void store_digits(Digits sum, int *out, int *status) {
  int d1 = sum.d1 + (sum.d0 >> 16);
  int d2 = sum.d2 + (d1 >> 16);
  int d3 = sum.d3 + (d2 >> 16);
  int low = (int)((unsigned)d1 << 16) | (sum.d0 & 0xffff);
  int sign = low >> 31;
  *out = low;
  if ((d3 ^ sign) | ((d2 ^ sign) & 0xffff)) *status = OVERFLOWS;
}
