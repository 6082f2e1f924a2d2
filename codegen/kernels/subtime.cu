#include "vgpu_time.h"

// The first time less the second, as hours, minutes and seconds
extern "C" __global__ void subtime(int64_t h1, int64_t m1, int64_t s1, int64_t h2, int64_t m2,
                                   int64_t s2, int64_t *out, int *status) {
  int64_t first, second, result;
  if (seconds_of(h1, m1, s1, first) | seconds_of(h2, m2, s2, second) |
      minus(first, second, result))
    *status = OVERFLOWS;
  else
    store_time(result, out);
}
