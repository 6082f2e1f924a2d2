#include "vgpu_gcd.h"

// The least common multiple, at least 0; 0 when either number is 0
extern "C" __global__ void lcm(int64_t a, int64_t b, int64_t *out, int *status) {
  uint64_t x = magnitude(a), y = magnitude(b), rest, multiple;
  if (x == 0 || y == 0) return;
  bool beyond = times(quotient(x, common_divisor(x, y), rest), y, multiple);
  store_signed(false, multiple, out, status);
  if (beyond) *status = OVERFLOWS;
}
