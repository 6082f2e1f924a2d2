// The strong probable prime test, in words of 32 bits or of 64.
#pragma once

#include "vgpu_high.h"
#include "vgpu_wide.h"

__device__ __forceinline__ uint64_t high_half(uint64_t a, uint64_t b) {
  return full_product(a, b).high;
}

// x * y / 2**w modulo n for words of w bits (Montgomery); inverse * n is 1 modulo 2**w.
template <typename W>
__device__ __forceinline__ W montgomery(W x, W y, W n, W inverse) {
  W low, high;
  if constexpr (sizeof(W) == 8) {
    Quad all = full_product(x, y);
    low = all.low;
    high = all.high;
  } else {
    low = x * y;
    high = high_half(x, y);
  }
  W taken = high_half((W)(low * inverse), n);
  W result = high - taken;
  return high < taken ? result + n : result;
}

// 1 / n modulo 2**w for odd n.
template <typename W>
__device__ __forceinline__ W inverse_of(W n) {
  W inverse = n;  // right to 3 bits, then to 6, 12, 24, 48, 96
  for (int i = 0; i < (sizeof(W) == 8 ? 5 : 4); i++) inverse *= (W)2 - n * inverse;
  return inverse;
}

// x * 2**w modulo n, one being 2**w modulo n; x is below 2**31 and n at most 2**(w - 1).
template <typename W>
__device__ __forceinline__ W into_form(uint32_t x, W one, W n) {
  W result = 0;
  for (uint32_t bit = 0x80000000u >> __clz((int)(x | 1)); bit != 0; bit >>= 1) {
    result += result;
    if (result >= n) result -= n;
    if (x & bit) result += one;
    if (result >= n) result -= n;
  }
  return result;
}

// Does the base witness that n is composite? n odd, 3 to 2**(w - 1), the base from 1 below n.
template <typename W>
__device__ __forceinline__ bool witnesses_composite(W n, uint32_t base) {
  W inverse = inverse_of(n);
  W one = (W)(0 - n) % n;  // 2**w modulo n
  W minus_one = n - one;
  W square = into_form(base, one, n);
  W odd = n - 1;
  while ((odd & 1) == 0) odd >>= 1;
  W x = one;
  for (W rest = odd; rest != 0; rest >>= 1) {
    if (rest & 1) x = montgomery(x, square, n, inverse);
    square = montgomery(square, square, n, inverse);
  }
  if (x == one || x == minus_one) return false;
  for (odd += odd; odd != n - 1; odd += odd) {
    x = montgomery(x, x, n, inverse);
    if (x == minus_one) return false;
  }
  return true;
}

// Bases that are together never wrong: three below 4,759,123,141 (Jaeschke 1993), seven below
// 2**64 (Sinclair 2011).
__device__ __forceinline__ uint32_t short_base(int i) { return i == 0 ? 2 : i == 1 ? 7 : 61; }

#define WIDE_BASES 7
__device__ __forceinline__ uint32_t wide_base(int i) {
  switch (i) {
    case 0: return 2;
    case 1: return 325;
    case 2: return 9375;
    case 3: return 28178;
    case 4: return 450775;
    case 5: return 9780504;
    default: return 1795265022;
  }
}
