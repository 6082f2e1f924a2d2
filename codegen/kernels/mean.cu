#include "vgpu_status.h"
#include "vgpu_lists.h"

// The mean of a list, rounded down
extern "C" __global__ void mean(const int *a, int n, int *out, int *status) {
  Sum s = block_sum(a, n);
  if (threadIdx.x != 0) return;
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  int high = s.high + (s.low >> 16);
  unsigned low = s.low & 0xffff;
  // Long division of high:low by n, sixteen bits at a time. Of a negative number -x the
  // quotient rounded down is -1 - (x - 1) / n, and x - 1 is the complement of -x.
  bool negative = high < 0;
  unsigned upper = negative ? ~high : high;
  unsigned lower = negative ? low ^ 0xffffu : low;
  unsigned quotient = 0;
  if (upper < 0x10000u) {
    lower |= upper << 16;
  } else {
    quotient = upper / n;
    lower |= (upper - quotient * n) << 16;
    quotient <<= 16;
  }
  quotient += lower / n;
  *out = (int)(negative ? ~quotient : quotient);
}
