#include "vgpu_wide.h"

// a - b
extern "C" __global__ void sub(int64_t a, int64_t b, int64_t *out, int *status) {
  int64_t difference;
  *status = minus(a, b, difference);
  *out = difference;
}
