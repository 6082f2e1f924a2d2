#include "vgpu_prime.h"

// Which of the 32 candidates n, n + 2, ... below `limit` is the first prime? First a candidate a
// lane, to base 2; then, of those that passed, one after another, a base a lane. 0 when none is.
template <typename W>
__device__ __forceinline__ W first_prime(W n, W limit, int bases) {
  int t = threadIdx.x;
  uint32_t left = 0;  // a bit for each candidate that passed and has not been looked at
  bool searching = true;
  do {
    W candidate = n + 2 * (searching ? t : __ffs((int)left) - 1);
    uint32_t base = searching ? 2 : sizeof(W) == 8 ? wide_base(t) : short_base(t);
    bool fit = searching ? candidate < limit : t < bases && candidate > base;
    bool composite = fit ? witnesses_composite(candidate, base) : searching;
    uint32_t seen = __ballot_sync(0xffffffffu, composite);
    if (!searching && seen == 0) return candidate;
    left = searching ? ~seen : left & (left - 1);
    searching = false;
  } while (left != 0);
  return 0;
}

// The least prime above n. One warp.
extern "C" __global__ void nextprime(int64_t n, int64_t *out, int *status) {
  if (n < 2) {
    *out = 2;
    return;
  }
  uint64_t odd = ((uint64_t)n + 1) | 1, found = 0;
  while (found == 0) {
    if (odd >> 63 != 0) {
      *status = OVERFLOWS;
      return;
    }
    if (odd < (1u << 31) - 64)
      found = first_prime((uint32_t)odd, 1u << 31, 3);
    else
      found = first_prime(odd, (uint64_t)1 << 63, WIDE_BASES);
    odd += 64;
  }
  *out = (int64_t)found;
}
