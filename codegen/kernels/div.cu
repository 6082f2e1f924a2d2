#include "vgpu_wide.h"

// a / b, rounded down
extern "C" __global__ void div(int64_t a, int64_t b, int64_t *out, int *status) {
  if (b == 0) {
    *status = UNDEFINED;
    return;
  }
  uint64_t rest, result = quotient(magnitude(a), magnitude(b), rest);
  store_floor((a ^ b) < 0, result, rest == 0, out, status);
}
