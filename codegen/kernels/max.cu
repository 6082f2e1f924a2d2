#include "vgpu_status.h"
#include "vgpu_extreme.h"

// The greatest of a list
extern "C" __global__ void max(const int *a, int n, int *out, int *status) {
  store_extreme<true>(a, n, out, status);
}
