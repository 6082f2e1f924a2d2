#include "vgpu_status.h"

// The binary digits of n, highest first, and how many they are. A thread every 32nd digit.
extern "C" __global__ void tobin(int64_t n, int64_t *out, int *count, int *status) {
  if (n < 0) {
    *status = BEYOND;
    return;
  }
  int digits = 64 - __clzll((int64_t)(n | 1));
  if (threadIdx.x == 0) *count = digits;
  for (int i = threadIdx.x; i < digits; i += blockDim.x)
    out[i] = (int)((uint64_t)n >> (digits - 1 - i)) & 1;
}
