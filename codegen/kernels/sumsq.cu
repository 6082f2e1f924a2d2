#include "vgpu_lists.h"

// The sum of the squares of a list; 0 when it is empty
extern "C" __global__ void sumsq(const int64_t *a, int n, int64_t *out, int *status) {
  int t = threadIdx.x, threads = blockDim.x;
  Products mine = {0, 0, 0, 0, 0};
  for (int i = t; i < n; i += threads) add_product(mine, a[i], a[i]);
  Products all = reduce(mine);
  if (t == 0) store_sum(all, out, status);
}
