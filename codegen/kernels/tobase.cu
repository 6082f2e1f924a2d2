#include "vgpu_wide.h"

// The digits of n in a base from 2 to 36, highest first, and how many they are
extern "C" __global__ void tobase(int64_t n, int64_t base, int64_t *out, int *count, int *status) {
  __shared__ unsigned char digits[64];  // lowest first
  if (n < 0 || base < 2 || base > 36) {
    *status = BEYOND;
    return;
  }
  uint64_t left = (uint64_t)n;
  int found = 0;
  do {
    uint64_t rest;
    left = quotient(left, (uint64_t)base, rest);
    digits[found++] = (unsigned char)rest;
  } while (left != 0);
  *count = found;
  for (int i = 0; i < found; i++) out[i] = digits[found - 1 - i];
}
