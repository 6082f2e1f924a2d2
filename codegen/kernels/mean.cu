#include "vgpu_lists.h"

// The mean of a list, rounded down
extern "C" __global__ void mean(const int64_t *a, int n, int64_t *out, int *status) {
  Sum total = block_sum(a, n);
  if (threadIdx.x != 0) return;
  if (n == 0)
    *status = UNDEFINED;
  else
    *out = floor_mean(total, n);
}
