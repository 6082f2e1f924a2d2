// Sums, products and quotients of 64-bit numbers that tell when they do not fit. A function that
// gives a bool says true when the result does not fit; the result is then modulo 2**64.
#pragma once

#include "vgpu_status.h"

__device__ __forceinline__ bool plus(int64_t a, int64_t b, int64_t &sum) {
  sum = (int64_t)((uint64_t)a + (uint64_t)b);
  // It overflowed when both operands have the sign that the sum has not.
  return (int)high_word((uint64_t)((a ^ sum) & (b ^ sum))) < 0;
}

__device__ __forceinline__ bool minus(int64_t a, int64_t b, int64_t &difference) {
  difference = (int64_t)((uint64_t)a - (uint64_t)b);
  // It overflowed when the operands differ in sign and the difference has not a's.
  return (int)high_word((uint64_t)((a ^ b) & (a ^ difference))) < 0;
}

struct Quad {
  uint64_t low, high;
};

// All 128 bits of a product.
__device__ __forceinline__ Quad full_product(uint64_t a, uint64_t b) {
  uint64_t lowest = (uint64_t)low_word(a) * low_word(b);
  uint64_t cross = (uint64_t)low_word(a) * high_word(b);
  uint64_t other = (uint64_t)high_word(a) * low_word(b);
  uint64_t middle = (uint64_t)high_word(lowest) + low_word(cross) + low_word(other);
  uint64_t highest = (uint64_t)high_word(a) * high_word(b);
  return {pair(low_word(lowest), low_word(middle)),
          highest + high_word(cross) + high_word(other) + high_word(middle)};
}

__device__ __forceinline__ bool times(uint64_t a, uint64_t b, uint64_t &product) {
  if (is_short(a | b)) {
    product = (uint64_t)low_word(a) * low_word(b);
    return false;
  }
  Quad all = full_product(a, b);
  product = all.low;
  return all.high != 0;
}

__device__ __forceinline__ bool times(int64_t a, int64_t b, int64_t &product) {
  if (is_short(a) && is_short(b)) {
    product = (int64_t)(int)a * (int)b;
    return false;
  }
  Quad all = full_product(magnitude(a), magnitude(b));
  bool negative = (int)high_word((uint64_t)(a ^ b)) < 0;
  product = (int64_t)(negative ? 0 - all.low : all.low);
  return all.high != 0 || (all.low != 0 && (product < 0) != negative);
}

// a / d and the remainder, rounded down; d is not 0.
__device__ __forceinline__ uint64_t quotient(uint64_t a, uint64_t d, uint64_t &rest) {
  uint64_t result;
  if (is_short(a | d)) {
    uint32_t short_result = low_word(a) / low_word(d);
    result = short_result;
    rest = low_word(a) - short_result * low_word(d);
  } else {
    result = a / d;
    rest = a - result * d;
  }
  return result;
}

// A number of 128 bits divided by 100, rounded down.
__device__ __forceinline__ bool hundredth(Quad a, uint64_t &result, uint32_t &rest) {
  if (a.high >= 100) return true;
  if (a.high == 0 && is_short(a.low)) {
    uint32_t short_result = low_word(a.low) / 100;
    result = short_result;
    rest = low_word(a.low) - short_result * 100;
    return false;
  }
  uint64_t upper = pair(high_word(a.low), low_word(a.high));  // long division, word by word
  uint64_t first = upper / 100;
  uint64_t lower = pair(low_word(a.low), low_word(upper) - low_word(first) * 100);
  uint64_t second = lower / 100;
  rest = low_word(lower) - low_word(second) * 100;
  result = pair(low_word(second), low_word(first));
  return false;
}

// Stores what a positive quotient is for this sign, rounded down, or says that it does not fit.
__device__ __forceinline__ void store_floor(bool negative, uint64_t value, bool exact, int64_t *out,
                                            int *status) {
  if (negative && !exact) value++;
  store_signed(negative, value, out, status);
}
