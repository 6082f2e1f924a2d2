#include "vgpu_wide.h"

// part * 100 / whole for part < whole <= 2**63, digit by binary digit of 100.
__device__ __forceinline__ uint64_t hundredfold(uint64_t part, uint64_t whole, uint64_t &rest) {
  uint64_t result = 0;
  rest = 0;
  for (uint32_t bit = 64; bit != 0; bit >>= 1) {
    rest += rest;
    result += result;
    if (rest >= whole) { rest -= whole; result++; }
    if (100 & bit) rest += part;
    if (rest >= whole) { rest -= whole; result++; }
  }
  return result;
}

// By how many percent of |before| `after` is more, rounded down: a fall is negative
extern "C" __global__ void change(int64_t before, int64_t after, int64_t *out, int *status) {
  if (before == 0) {
    *status = UNDEFINED;
    return;
  }
  bool falls = after < before;
  uint64_t difference = falls ? (uint64_t)before - (uint64_t)after
                              : (uint64_t)after - (uint64_t)before;
  uint64_t whole = magnitude(before), rest, result;
  if (high_word(difference) < 1u << 24) {  // times 100 it fits 64 bits
    result = quotient(difference * 100, whole, rest);
  } else {
    uint64_t times_whole = quotient(difference, whole, rest);
    uint64_t more = hundredfold(rest, whole, rest), hundreds;
    bool beyond = times(times_whole, (uint64_t)100, hundreds);
    result = hundreds + more;
    if (beyond || result < more) {
      *status = OVERFLOWS;
      return;
    }
  }
  store_floor(falls, result, rest == 0, out, status);
}
