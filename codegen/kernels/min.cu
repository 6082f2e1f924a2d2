#include "vgpu_lists.h"

// The least of a list
extern "C" __global__ void min(const int64_t *a, int n, int64_t *out, int *status) {
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  int64_t extreme = block_extreme<Least>(a, n);
  if (threadIdx.x == 0) *out = extreme;
}
