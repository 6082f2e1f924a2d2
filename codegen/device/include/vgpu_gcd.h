// The greatest common divisor.
#pragma once

#include "vgpu_wide.h"

__device__ __forceinline__ int trailing_zeros(uint32_t a) { return __clz((int)__brev(a)); }

// a without its trailing zeros; a is not 0.
__device__ __forceinline__ uint64_t odd_part(uint64_t a) {
  if (low_word(a) == 0) a >>= 32;
  return a >> trailing_zeros(low_word(a));
}

// By subtraction and halving (Stein): a division would take longer than all its steps. Long
// numbers until both fit a word, then words.
__device__ __forceinline__ uint64_t common_divisor(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return a | b;
  uint64_t both = a | b;
  int twos = low_word(both) != 0 ? trailing_zeros(low_word(both))
                                 : 32 + trailing_zeros(high_word(both));
  a = odd_part(a);
  b = odd_part(b);
  while (!is_short(a | b)) {
    if (a == b) return a << twos;
    uint64_t less = min(a, b);
    a = odd_part(max(a, b) - less);
    b = less;
  }
  uint32_t x = low_word(a), y = low_word(b);
  while (x != y) {
    uint32_t less = min(x, y);
    x = max(x, y) - less;
    x >>= trailing_zeros(x);
    y = less;
  }
  return (uint64_t)x << twos;
}
