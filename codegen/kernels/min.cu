#include "vgpu_status.h"
#include "vgpu_extreme.h"

// The least of a list
extern "C" __global__ void min(const int *a, int n, int *out, int *status) {
  store_extreme<false>(a, n, out, status);
}
