#include "vgpu_wide.h"

// The number that has these digits, highest first, in a base from 2 to 36
extern "C" __global__ void frombase(const int64_t *digits, int64_t base, int n, int64_t *out,
                                    int *status) {
  if (base < 2 || base > 36) {
    *status = BEYOND;
    return;
  }
  if (n == 0) *status = UNDEFINED;
  int64_t number = 0;
  for (int i = 0; i < n; i++) {
    uint64_t digit = (uint64_t)digits[i];
    if (digit >= (uint64_t)base) {
      *status = UNDEFINED;
      return;
    }
    if (times(number, base, number) || plus(number, (int64_t)digit, number)) *status = OVERFLOWS;
  }
  *out = number;
}
