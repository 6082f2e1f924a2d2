#include "vgpu_status.h"

// a / b, rounded down
extern "C" __global__ void div(int a, int b, int *out, int *status) {
  if (b == 0) {
    *status = UNDEFINED;
    return;
  }
  unsigned divisor = magnitude(b);
  unsigned quotient = magnitude(a) / divisor;
  bool negative = (a ^ b) < 0;
  if (negative && quotient * divisor != magnitude(a)) quotient++;
  store_signed(negative, quotient, out, status);
}
