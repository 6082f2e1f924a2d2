#include "vgpu_sort.h"
#include "vgpu_status.h"

// The middle of a list in order; of the two middle numbers of an even list the mean, rounded down
extern "C" __global__ void median(int64_t *a, int n, int64_t *out, int *status) {
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  merge_sort<false>(a, n);
  if (threadIdx.x != 0) return;
  int64_t low = a[(n - 1) >> 1], high = a[n >> 1];
  *out = (low & high) + ((low ^ high) >> 1);  // the mean, without a sum that might not fit
}
