#include "vgpu_sort.h"

// A list in descending order
extern "C" __global__ void sortdesc(const int64_t *a, int n, int64_t *out, int *status) {
  sorted<true>(a, n, out);
}
