#include "vgpu_high.h"
#include "vgpu_status.h"

// p percent of n: p * n / 100, rounded down
extern "C" __global__ void percent(int p, int n, int *out, int *status) {
  unsigned high = high_half(magnitude(p), magnitude(n));
  unsigned low = magnitude(p) * magnitude(n);
  if (high >= 100) {  // the quotient needs more than 32 bits
    *status = OVERFLOWS;
    return;
  }
  // Long division of high:low, sixteen bits at a time; no step leaves 32 bits.
  unsigned upper = (high << 16) | (low >> 16);
  unsigned lower = ((upper % 100) << 16) | (low & 0xffffu);
  unsigned quotient = ((upper / 100) << 16) + lower / 100;
  bool negative = (p ^ n) < 0;
  if (negative && lower % 100 != 0) quotient++;
  store_signed(negative, quotient, out, status);
}
