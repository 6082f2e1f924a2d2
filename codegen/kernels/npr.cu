#include "vgpu_wide.h"

// In how many ways k things can be taken from n one after another; 0 when there are not so many
extern "C" __global__ void npr(int64_t n, int64_t k, int64_t *out, int *status) {
  if (n < 0 || k < 0) {
    *status = UNDEFINED;
    return;
  }
  if (k > n) return;
  int64_t ways = 1;
  for (; k > 0; k--, n--) {
    if (times(ways, n, ways)) {
      *status = OVERFLOWS;
      return;
    }
  }
  *out = ways;
}
