// Exact sums of 64-bit numbers and of their products: more words than a result has, so that what
// leaves 64 bits on the way and comes back is right, and what stays outside is seen.
#pragma once

#include "vgpu_wide.h"

// low + middle * 2**32 + high * 2**64; high is signed.
struct Sum {
  uint32_t low, middle, high;
};

__device__ __forceinline__ void combine(Sum &mine, const Sum &other) {
  asm("add.cc.u32 %0, %0, %3; addc.cc.u32 %1, %1, %4; addc.u32 %2, %2, %5;"
      : "+r"(mine.low), "+r"(mine.middle), "+r"(mine.high)
      : "r"(other.low), "r"(other.middle), "r"(other.high));
}

__device__ __forceinline__ Sum extended(int64_t a) {
  return {low_word(a), high_word(a), (uint32_t)((int)high_word(a) >> 31)};
}

__device__ __forceinline__ void store_sum(const Sum &sum, int64_t *out, int *status) {
  *out = (int64_t)pair(sum.low, sum.middle);
  if (sum.high != (uint32_t)((int)sum.middle >> 31)) *status = OVERFLOWS;
}

// Five words, the highest signed: the sum of 2**31 products of any two 64-bit numbers.
struct Products {
  uint32_t w0, w1, w2, w3, w4;
};

__device__ __forceinline__ void combine(Products &mine, const Products &other) {
  asm("add.cc.u32 %0, %0, %5; addc.cc.u32 %1, %1, %6; addc.cc.u32 %2, %2, %7;"
      "addc.cc.u32 %3, %3, %8; addc.u32 %4, %4, %9;"
      : "+r"(mine.w0), "+r"(mine.w1), "+r"(mine.w2), "+r"(mine.w3), "+r"(mine.w4)
      : "r"(other.w0), "r"(other.w1), "r"(other.w2), "r"(other.w3), "r"(other.w4));
}

__device__ __forceinline__ void add_product(Products &sum, int64_t a, int64_t b) {
  if (is_short(a) && is_short(b)) {
    int64_t product = (int64_t)(int)a * (int)b;
    uint32_t sign = (uint32_t)((int)high_word(product) >> 31);
    combine(sum, {low_word(product), high_word(product), sign, sign, sign});
    return;
  }
  // As if unsigned, then what that made too large: a negative a reads as a + 2**64.
  Quad all = full_product((uint64_t)a, (uint64_t)b);
  all.high -= ((uint64_t)(a >> 63) & (uint64_t)b) + ((uint64_t)(b >> 63) & (uint64_t)a);
  uint32_t sign = (uint32_t)((int)high_word(all.high) >> 31);
  combine(sum, {low_word(all.low), high_word(all.low), low_word(all.high), high_word(all.high),
                sign});
}

// The sum of `terms` products of every a_step-th element of a and every b_step-th of b.
__device__ __forceinline__ Products sum_of_products(const int64_t *a, int a_step, const int64_t *b,
                                                    int b_step, int terms) {
  Products sum = {0, 0, 0, 0, 0};
  for (; terms > 0; terms--) {
    add_product(sum, *a, *b);
    a += a_step;
    b += b_step;
  }
  return sum;
}

__device__ __forceinline__ bool does_not_fit(const Products &sum) {
  uint32_t sign = (uint32_t)((int)sum.w1 >> 31);
  return ((sum.w2 ^ sign) | (sum.w3 ^ sign) | (sum.w4 ^ sign)) != 0;
}

__device__ __forceinline__ void store_sum(const Products &sum, int64_t *out, int *status) {
  *out = (int64_t)pair(sum.w0, sum.w1);
  if (does_not_fit(sum)) *status = OVERFLOWS;
}
