// run: --grid 2 --block 2 --in x=1,2,3,4 --out y=4 --set n=3
// expect: y = 2, 4, 6, 0
#include <stddef.h>
__global__ void twice(const int *x, int *y, size_t n) {
  size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
