#include "vgpu_status.h"

// The hexadecimal digits of n, highest first, and how many they are. A thread a digit.
extern "C" __global__ void tohex(int64_t n, int64_t *out, int *count, int *status) {
  if (n < 0) {
    *status = BEYOND;
    return;
  }
  int t = threadIdx.x;
  int digits = (67 - __clzll((int64_t)(n | 1))) >> 2;
  if (t == 0) *count = digits;
  if (t < digits) out[t] = (int)((uint64_t)n >> (4 * (digits - 1 - t))) & 15;
}
