#include "vgpu_wide.h"

// In how many ways k things can be chosen from n; 0 when there are not so many
extern "C" __global__ void ncr(int64_t n, int64_t k, int64_t *out, int *status) {
  if (n < 0 || k < 0) {
    *status = UNDEFINED;
    return;
  }
  if (k > n) return;
  uint64_t steps = min((uint64_t)k, (uint64_t)(n - k));
  uint64_t ways = 1, factor = (uint64_t)n - steps;
  for (uint64_t i = 1; i <= steps; i++) {
    // ways * factor / i is whole. i is small while the result fits: at most 33.
    factor++;
    uint64_t rest, part = quotient(ways, i, rest), wholes, none;
    bool beyond = times(part, factor, wholes);
    uint64_t more = rest == 0 ? 0 : quotient(rest * factor, i, none);
    ways = wholes + more;
    if (beyond || ways < more || (int)high_word(ways) < 0) {
      *status = OVERFLOWS;
      return;
    }
  }
  *out = (int64_t)ways;
}
