#include "vgpu_high.h"
#include "vgpu_status.h"

// base ** exponent; 0 ** 0 is 1; a negative exponent has a whole result for 1 and -1 only
extern "C" __global__ void power(int base, int exponent, int *out, int *status) {
  if (base == 1 || base == -1) exponent &= 1;
  if (exponent < 0) {
    *status = UNDEFINED;
    return;
  }
  int result = 1;
  int factor = base;
  while (true) {
    if (exponent & 1) {
      int product = (int)((unsigned)result * (unsigned)factor);
      if (high_half(result, factor) != product >> 31) *status = OVERFLOWS;
      result = product;
    }
    exponent >>= 1;
    if (exponent == 0) break;
    // The top bit of the exponent is still to come, so this square will be a factor.
    int square = (int)((unsigned)factor * (unsigned)factor);
    if (high_half(factor, factor) != square >> 31) {
      *status = OVERFLOWS;
      return;
    }
    factor = square;
  }
  *out = result;
}
