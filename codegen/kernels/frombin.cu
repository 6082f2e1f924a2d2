#include "vgpu_status.h"

// The number that has these binary digits, highest first
extern "C" __global__ void frombin(const int64_t *digits, int n, int64_t *out, int *status) {
  if (n == 0) *status = UNDEFINED;
  uint64_t number = 0;
  for (int i = 0; i < n; i++) {
    uint64_t digit = (uint64_t)digits[i];
    if (digit >= 2) {
      *status = UNDEFINED;
      return;
    }
    if (number >> 62 != 0) *status = OVERFLOWS;
    number = number << 1 | low_word(digit);
  }
  *out = (int64_t)number;
}
