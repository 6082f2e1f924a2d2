#include "vgpu_high.h"
#include "vgpu_status.h"

// x * y / 2**32 modulo n (Montgomery), for x and y below n; inverse * n is -1 modulo 2**32.
__device__ __forceinline__ unsigned montgomery(unsigned x, unsigned y, unsigned n, unsigned inverse) {
  unsigned low = x * y;
  unsigned high = high_half(x, y);
  unsigned carry = low != 0;  // low + (low * inverse * n) is 0 modulo 2**32
  unsigned sum = high + high_half(low * inverse, n) + carry;
  return sum >= n ? sum - n : sum;
}

// The strong probable prime test to one base: odd n above 2, base below n.
__device__ __forceinline__ bool witnesses_composite(unsigned n, unsigned base) {
  unsigned inverse = n;  // right to 3 bits, then to 6, 12, 24, 48
  for (int i = 0; i < 4; i++) inverse *= 2u - n * inverse;
  inverse = 0u - inverse;

  unsigned one = (0u - n) % n;  // 2**32 modulo n
  unsigned minus_one = n - one;
  unsigned square = 0;
  for (unsigned bit = 32; bit != 0; bit >>= 1) {  // base * 2**32 modulo n
    square += square;
    if (square >= n) square -= n;
    if (base & bit) square += one;
    if (square >= n) square -= n;
  }

  unsigned odd = n - 1;
  while ((odd & 1) == 0) odd >>= 1;
  unsigned x = one;
  for (unsigned rest = odd; rest != 0; rest >>= 1) {
    if (rest & 1) x = montgomery(x, square, n, inverse);
    square = montgomery(square, square, n, inverse);
  }
  if (x == one || x == minus_one) return false;
  for (odd += odd; odd != n - 1; odd += odd) {
    x = montgomery(x, x, n, inverse);
    if (x == minus_one) return false;
  }
  return true;
}

// 1 when n is prime, else 0. Three threads, one base each: 2, 7 and 61 together are never
// wrong below 4,759,123,141 (Jaeschke 1993).
extern "C" __global__ void isprime(int n, int *out, int *status) {
  int t = threadIdx.x;
  int base = t == 0 ? 2 : t == 1 ? 7 : 61;
  bool small = n < 2 || (n & 1) == 0;
  if (t == 0) *out = small ? n == 2 : 1;
  __syncthreads();
  if (small || n == base) return;
  unsigned rest = base;
  while (rest >= (unsigned)n) rest -= n;
  if (rest == 0 || witnesses_composite(n, rest)) *out = 0;
}
