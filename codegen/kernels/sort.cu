#include "vgpu_sort.h"

// A list in ascending order
extern "C" __global__ void sort(const int64_t *a, int n, int64_t *out, int *status) {
  sorted<false>(a, n, out);
}
