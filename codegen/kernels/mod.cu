#include "vgpu_wide.h"

// a - b * floor(a / b): it has the sign of b
extern "C" __global__ void mod(int64_t a, int64_t b, int64_t *out, int *status) {
  if (b == 0) {
    *status = UNDEFINED;
    return;
  }
  uint64_t divisor = magnitude(b), rest;
  quotient(magnitude(a), divisor, rest);
  if (rest != 0 && (a ^ b) < 0) rest = divisor - rest;
  *out = (int64_t)(b < 0 ? 0 - rest : rest);
}
