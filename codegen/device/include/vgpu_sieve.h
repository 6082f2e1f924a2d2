// The sieve of Eratosthenes over odd numbers, a byte each, by one warp. Number 1 is left standing
// and stands for 2, so that counting what stands counts the primes.
#pragma once

#define LANES 32

// The composite ones among the odd numbers 2 i + 1 for i in 1 .. n / 2, found with divisors that
// need not be prime themselves.
__device__ __forceinline__ void sieve_divisors(unsigned char *composite, int n) {
  for (int i = threadIdx.x; i <= n >> 1; i += LANES) composite[i] = 0;
  __syncthreads();
  for (int d = 3; d * d <= n; d += 2)
    for (int i = (d * d >> 1) + threadIdx.x * d; i <= n >> 1; i += LANES * d) composite[i] = 1;
  __syncthreads();
}
