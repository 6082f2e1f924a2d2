#include "vgpu_sieve.h"
#include "vgpu_status.h"

#define LARGEST 10000

// The primes below n in ascending order, and how many they are. One warp.
extern "C" __global__ void primesbelow(int64_t n, int64_t *out, int *count, int *status) {
  __shared__ unsigned char composite[LARGEST / 2];
  if (n > LARGEST) {
    *status = BEYOND;
    return;
  }
  if (n <= 2) return;
  int t = threadIdx.x, total = (int)n >> 1;
  for (int w = t; 4 * w < total; w += LANES) ((uint32_t *)composite)[w] = 0;
  int root = 1;
  while (root * root < (int)n) root += 8;
  __syncthreads();
  sieve_divisors(composite, root);
  for (int p = 3; p * p < (int)n; p += 2)
    if (!composite[p >> 1])
      for (int at = (p * p >> 1) + t * p; at < total; at += LANES * p) composite[at] = 1;
  __syncthreads();
  int found = 0;
  for (int start = 0; start < total; start += LANES) {
    int i = start + t;
    bool prime = i < total && !composite[i];
    uint32_t primes = __ballot_sync(0xffffffffu, prime);
    if (prime) out[found + __popc(primes & ((1u << t) - 1))] = i == 0 ? 2 : 2 * i + 1;
    found += __popc(primes);
  }
  if (t == 0) *count = found;
}
