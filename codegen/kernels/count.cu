#include "vgpu_status.h"

// How many numbers a list has. The launch marks each with a 1 and ends them with a 0: nobody has
// counted them before. One warp.
extern "C" __global__ void count(const int64_t *a, const signed char *marks, int64_t *out,
                                 int *status) {
  int counted = 0, marked;
  do {
    marked = __popc(__ballot_sync(0xffffffffu, marks[counted + threadIdx.x] != 0));
    counted += marked;
  } while (marked == 32);
  *out = counted;
}
