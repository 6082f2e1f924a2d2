#include "vgpu_status.h"

// a - b
extern "C" __global__ void sub(int a, int b, int *out, int *status) {
  int difference = (int)((unsigned)a - (unsigned)b);
  *out = difference;
  // It overflowed when the operands differ in sign and the difference has not a's.
  *status = (int)((unsigned)((a ^ b) & (a ^ difference)) >> 31);
}
