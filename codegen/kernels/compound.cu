#include "vgpu_wide.h"

// What `cents` become in so many years at so many percent a year; every year's fraction of a cent
// is dropped
extern "C" __global__ void compound(int64_t cents, int64_t rate, int64_t years, int64_t *out,
                                    int *status) {
  if (cents < 0 || rate < -100 || years < 0 || rate > 1000000 || years > 1000) {
    *status = BEYOND;
    return;
  }
  uint64_t now = (uint64_t)cents;
  uint32_t grown = 100 + (uint32_t)rate, rest;
  for (int year = (int)years; year > 0; year--) {
    if (hundredth(full_product(now, grown), now, rest) || (int)high_word(now) < 0) {
      *status = OVERFLOWS;
      return;
    }
  }
  *out = (int64_t)now;
}
