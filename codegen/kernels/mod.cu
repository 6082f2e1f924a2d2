#include "vgpu_status.h"

// a - b * floor(a / b): it has the sign of b
extern "C" __global__ void mod(int a, int b, int *out, int *status) {
  if (b == 0) {
    *status = UNDEFINED;
    return;
  }
  unsigned divisor = magnitude(b);
  unsigned rest = magnitude(a) % divisor;
  if (rest != 0 && (a ^ b) < 0) rest = divisor - rest;
  *out = (int)(b < 0 ? 0u - rest : rest);
}
