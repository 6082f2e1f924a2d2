#include "vgpu_time.h"

// The time of day n minutes before h:m:s
extern "C" __global__ void earlier(int64_t h, int64_t m, int64_t s, int64_t n, int64_t *out,
                                   int *status) {
  turn_clock(h, m, s, n, true, out, status);
}
