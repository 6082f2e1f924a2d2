#include "vgpu_wide.h"

// p percent of n: p * n / 100, rounded down
extern "C" __global__ void percent(int64_t p, int64_t n, int64_t *out, int *status) {
  uint64_t result;
  uint32_t rest;
  if (hundredth(full_product(magnitude(p), magnitude(n)), result, rest))
    *status = OVERFLOWS;
  else
    store_floor((p ^ n) < 0, result, rest == 0, out, status);
}
