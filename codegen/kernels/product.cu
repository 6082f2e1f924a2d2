#include "vgpu_lists.h"

// The magnitude of a product, its sign, and whether it has left 64 bits.
struct Product {
  uint64_t magnitude;
  int negative, beyond;
};

__device__ __forceinline__ void combine(Product &mine, const Product &other) {
  mine.negative ^= other.negative;
  mine.beyond |= other.beyond | times(mine.magnitude, other.magnitude, mine.magnitude);
}

// The product of a list; 1 when it is empty
extern "C" __global__ void product(const int64_t *a, int n, int64_t *out, int *status) {
  __shared__ int zeros;
  int t = threadIdx.x;
  if (t == 0) zeros = 0;
  __syncthreads();
  Product mine = {1, 0, 0};
  for (int i = t; i < n; i += blockDim.x) {
    int64_t factor = a[i];
    if (factor == 0) zeros = 1;
    combine(mine, Product{magnitude(factor), factor < 0, 0});
  }
  Product all = reduce(mine);
  __syncthreads();
  if (t != 0 || zeros != 0) return;  // a 0 makes good whatever the others came to
  store_signed(all.negative != 0, all.magnitude, out, status);
  if (all.beyond) *status = OVERFLOWS;
}
