#include "vgpu_exact.h"

// The matrix product of a (rows x inner) and b (inner x columns), stored by rows.
// Thread (x, y) makes the elements of columns x, x + blockDim.x, ... in rows y, ...
extern "C" __global__ void matmul(const int64_t *a, const int64_t *b, int rows, int inner,
                                  int columns, int64_t *out, int *status) {
  for (int i = threadIdx.y; i < rows; i += blockDim.y)
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
      store_sum(sum_of_products(a + i * inner, 1, b + j, columns, inner), out + i * columns + j,
                status);
}
