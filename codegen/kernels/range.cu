#include "vgpu_lists.h"

struct Ends {
  int64_t least, greatest;
};

__device__ __forceinline__ void combine(Ends &mine, const Ends &other) {
  mine.least = min(mine.least, other.least);
  mine.greatest = max(mine.greatest, other.greatest);
}

// The greatest of a list less the least
extern "C" __global__ void range(const int64_t *a, int n, int64_t *out, int *status) {
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  int t = threadIdx.x;
  int64_t first = a[t < n ? t : 0];
  Ends mine = {first, first};
  for (int i = t + blockDim.x; i < n; i += blockDim.x) combine(mine, Ends{a[i], a[i]});
  Ends all = reduce(mine);
  if (t != 0) return;
  int64_t result;
  if (minus(all.greatest, all.least, result)) *status = OVERFLOWS;
  *out = result;
}
