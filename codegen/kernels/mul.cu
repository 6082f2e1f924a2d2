#include "vgpu_wide.h"

// a * b
extern "C" __global__ void mul(int64_t a, int64_t b, int64_t *out, int *status) {
  int64_t product;
  if (times(a, b, product)) *status = OVERFLOWS;
  *out = product;
}
