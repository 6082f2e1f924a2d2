#include "vgpu_high.h"
#include "vgpu_status.h"

// The least common multiple, at least 0; 0 when either number is 0
extern "C" __global__ void lcm(int a, int b, int *out, int *status) {
  unsigned x = magnitude(a), y = magnitude(b);
  if (x == 0 || y == 0) return;
  while (y != 0) {
    unsigned rest = x % y;
    x = y;
    y = rest;
  }
  unsigned factor = magnitude(a) / x;
  store_signed(false, factor * magnitude(b), out, status);
  if (high_half(factor, magnitude(b)) != 0) *status = OVERFLOWS;
}
