#include "vgpu_status.h"

// a + b
extern "C" __global__ void add(int a, int b, int *out, int *status) {
  int sum = (int)((unsigned)a + (unsigned)b);
  *out = sum;
  // It overflowed when both operands have the sign that the sum has not.
  *status = (int)((unsigned)((a ^ sum) & (b ^ sum)) >> 31);
}
