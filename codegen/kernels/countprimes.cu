#include "vgpu_sieve.h"
#include "vgpu_status.h"

#define LARGEST 1000000
#define ODDS 12288  // odd numbers of a segment

// How many primes are below n. One warp.
extern "C" __global__ void countprimes(int64_t n, int64_t *out, int *status) {
  __shared__ uint32_t words[ODDS / 4];
  __shared__ unsigned char composite[520];  // divisors to 1039
  // A divisor's next multiple, from the segment's start: of this segment and of the one after it,
  // because lanes do not wait for each other within one.
  __shared__ unsigned short next[2][520];
  if (n > LARGEST) {
    *status = BEYOND;
    return;
  }
  if (n <= 2) return;
  unsigned char *marked = (unsigned char *)words;
  int t = threadIdx.x, total = (int)n >> 1, counted = 0, turn = 0;
  int root = 1;
  while (root * root < (int)n) root += 32;
  sieve_divisors(composite, root);
  for (int start = 0; start < total; start += ODDS, turn ^= 1) {
    int length = min(ODDS, total - start);
    for (int w = t; 4 * w < length; w += LANES) words[w] = 0;
    __syncthreads();
    int last = 2 * (start + length) - 1;  // the greatest number of the segment
    for (int p = 3; p * p <= last; p += 2) {
      if (composite[p >> 1]) continue;
      int first = p * p >> 1;
      int at = (first >= start ? first - start : next[turn][p >> 1]) + t * p;
      int step = LANES * p;
      for (; at + 3 * step < length; at += 4 * step)
        marked[at] = marked[at + step] = marked[at + 2 * step] = marked[at + 3 * step] = 1;
      for (; at < length; at += step) marked[at] = 1;
      // The lane that is next to go on tells where; the last segment has nothing after it.
      if (at < length + p) next[turn ^ 1][p >> 1] = at - length;
    }
    __syncthreads();
    counted += length & -(t == 0);
    for (int w = t; 4 * w < length; w += LANES) counted -= __popc(words[w]);
  }
  for (int reach = 16; reach > 0; reach >>= 1)
    counted += __shfl_xor_sync(0xffffffffu, counted, reach);
  if (t == 0) *out = counted;
}
