#include "vgpu_status.h"

// How many one bits n has
extern "C" __global__ void popcount(int64_t n, int64_t *out, int *status) {
  if (n < 0)
    *status = BEYOND;
  else
    *out = __popcll((uint64_t)n);
}
