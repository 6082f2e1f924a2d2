#include "vgpu_status.h"
#include "vgpu_lists.h"

// The greatest of a list
extern "C" __global__ void max(const int *a, int n, int *out, int *status) {
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  int extreme = block_extreme<Greatest>(a, n);
  if (threadIdx.x == 0) *out = extreme;
}
