#include "vgpu_lists.h"
#include "vgpu_sort.h"

// A number and how often it comes.
struct Often {
  int times;
  int64_t value;
};

__device__ __forceinline__ void combine(Often &mine, const Often &other) {
  if (other.times > mine.times || (other.times == mine.times && other.value < mine.value))
    mine = other;
}

// The number that comes most often; the least of them when there are several
extern "C" __global__ void mode(int64_t *a, int n, int64_t *out, int *status) {
  if (n == 0) {
    *status = UNDEFINED;
    return;
  }
  merge_sort<false>(a, n);
  Often mine = {0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int64_t value = a[i];
    if (i > 0 && a[i - 1] == value) continue;  // a run is counted by who has its first
    int end = i + 1;
    while (end < n && a[end] == value) end++;
    combine(mine, Often{end - i, value});
  }
  Often all = reduce(mine);
  if (threadIdx.x == 0) *out = all.value;
}
