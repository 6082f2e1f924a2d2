#include "vgpu_prime.h"

// base ** exponent modulo m below 2**32
__device__ __forceinline__ uint32_t short_power(uint32_t base, uint64_t exponent, uint32_t m) {
  uint32_t result = 1 % m;
  while (true) {
    if (exponent & 1) result = (uint32_t)((uint64_t)result * base % m);
    exponent >>= 1;
    if (exponent == 0) return result;
    base = (uint32_t)((uint64_t)base * base % m);
  }
}

// base ** exponent modulo m = odd * 2**twos: modulo each, put together by the Chinese remainder
// theorem. Modulo 2**64 products wrap, and modulo odd numbers they are Montgomery's.
__device__ __forceinline__ uint64_t wide_power(uint64_t base, uint64_t exponent, uint64_t m) {
  int twos = 0;
  uint64_t odd = m;
  for (; (odd & 1) == 0; odd >>= 1) twos++;
  uint64_t inverse = inverse_of(odd), one = (0 - odd) % odd;
  uint64_t square = 0;  // base * 2**64 modulo odd
  for (int bit = 63; bit >= 0; bit--) {
    square += square;
    if (square >= odd) square -= odd;
    if (base >> bit & 1) square += one;
    if (square >= odd) square -= odd;
  }
  uint64_t result = one, wrapped = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) {
      result = montgomery(result, square, odd, inverse);
      wrapped *= base;
    }
    square = montgomery(square, square, odd, inverse);
    base *= base;
  }
  result = montgomery(result, (uint64_t)1, odd, inverse);
  if (twos == 0) return result;
  return result + odd * ((wrapped - result) * inverse & (((uint64_t)1 << twos) - 1));
}

// base ** exponent modulo m, from 0 to m - 1
extern "C" __global__ void modpow(int64_t base, int64_t exponent, int64_t m, int64_t *out,
                                  int *status) {
  if (exponent < 0 || m <= 0) {
    *status = UNDEFINED;
    return;
  }
  uint64_t rest;
  quotient(magnitude(base), (uint64_t)m, rest);
  if (base < 0 && rest != 0) rest = (uint64_t)m - rest;
  if (is_short((uint64_t)m))
    *out = short_power((uint32_t)rest, (uint64_t)exponent, (uint32_t)m);
  else
    *out = (int64_t)wide_power(rest, (uint64_t)exponent, (uint64_t)m);
}
