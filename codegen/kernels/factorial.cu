#include "vgpu_status.h"

// n!
extern "C" __global__ void factorial(int64_t n, int64_t *out, int *status) {
  if (n < 0) {
    *status = UNDEFINED;
  } else if (n > 20) {  // 21! is above 2**63
    *status = OVERFLOWS;
  } else {
    // Every other number each: 20 * 18 * ... * 2 and 19 * 17 * ... * 3 both fit 32 bits.
    uint32_t some = 1, others = 1;
    int m = (int)n;
    for (; m > 1; m -= 2) {
      some *= m;
      others *= m - 1;
    }
    *out = (int64_t)((uint64_t)some * others);
  }
}
