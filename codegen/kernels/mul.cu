#include "vgpu_high.h"
#include "vgpu_status.h"

// a * b
extern "C" __global__ void mul(int a, int b, int *out, int *status) {
  int product = (int)((unsigned)a * (unsigned)b);
  *out = product;
  *status = high_half(a, b) == product >> 31 ? OK : OVERFLOWS;
}
