#include "vgpu_wide.h"

// base ** exponent; 0 ** 0 is 1; a negative exponent has a whole result for 1 and -1 only
extern "C" __global__ void power(int64_t base, int64_t exponent, int64_t *out, int *status) {
  if (base == 1 || base == -1) exponent &= 1;
  if (exponent < 0) {
    *status = UNDEFINED;
    return;
  }
  if (base == 0 && exponent != 0) return;
  if (exponent > 63) {  // of a base that is not 0, 1 or -1
    *status = OVERFLOWS;
    return;
  }
  int left = (int)exponent;
  int64_t result = 1;
  while (true) {
    if (left & 1 && times(result, base, result)) *status = OVERFLOWS;
    left >>= 1;
    if (left == 0) break;
    // The top bit of the exponent is still to come, so this square will be a factor.
    if (times(base, base, base)) {
      *status = OVERFLOWS;
      return;
    }
  }
  *out = result;
}
