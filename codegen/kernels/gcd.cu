#include "vgpu_status.h"

// The greatest common divisor, at least 0
extern "C" __global__ void gcd(int a, int b, int *out, int *status) {
  unsigned x = magnitude(a), y = magnitude(b);
  while (y != 0) {
    unsigned rest = x % y;
    x = y;
    y = rest;
  }
  store_signed(false, x, out, status);
}
