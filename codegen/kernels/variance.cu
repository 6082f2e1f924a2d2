#include "vgpu_lists.h"

// The mean of the squares of the distances from the mean (of a population, so divided by n),
// rounded down
extern "C" __global__ void variance(const int64_t *a, int n, int64_t *out, int *status) {
  __shared__ int64_t centre;
  __shared__ uint32_t above;  // the sum less n times the centre
  Sum total = block_sum(a, n);
  int t = threadIdx.x;
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  if (t == 0) {
    centre = floor_mean(total, n);
    above = total.low - low_word((uint64_t)centre) * n;
  }
  __syncthreads();
  int64_t middle = centre;
  Products mine = {0, 0, 0, 0, 0};
  for (int i = t; i < n; i += blockDim.x) {
    int64_t distance;
    if (minus(a[i], middle, distance)) *status = OVERFLOWS;  // so is its square
    add_product(mine, distance, distance);
  }
  Products squares = reduce(mine);
  if (t != 0) return;
  // With distances d from the rounded mean, and s = above the sum of d, the variance is
  // (sum of d * d - s * s / n) / n, and s is below n.
  uint64_t rest, part = quotient((uint64_t)above * above + (uint32_t)n - 1, (uint32_t)n, rest);
  uint64_t sum = pair(squares.w0, squares.w1);
  if ((squares.w2 | squares.w3 | squares.w4) != 0)
    *status = BEYOND;
  else
    store_signed(false, quotient(sum - part, (uint32_t)n, rest), out, status);
}
