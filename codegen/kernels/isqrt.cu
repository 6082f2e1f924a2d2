#include "vgpu_status.h"

// The square root of n, rounded down. One warp finds five bits at a time: every lane tries one
// value of them, and as many as are not too large are right.
extern "C" __global__ void isqrt(int64_t n, int64_t *out, int *status) {
  if (n < 0) {
    *status = UNDEFINED;
    return;
  }
  uint32_t root = 0;
  for (int shift = high_word((uint64_t)n) == 0 ? 15 : 30; shift >= 0; shift -= 5) {
    uint32_t mine = root + (threadIdx.x << shift);
    bool fits = threadIdx.x << shift >> shift == threadIdx.x;
    uint32_t good = __ballot_sync(0xffffffffu, fits && (uint64_t)mine * mine <= (uint64_t)n);
    root += (uint32_t)(__popc(good) - 1) << shift;
  }
  *out = root;
}
