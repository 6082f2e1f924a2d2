#include "vgpu_gcd.h"

// The greatest common divisor, at least 0
extern "C" __global__ void gcd(int64_t a, int64_t b, int64_t *out, int *status) {
  store_signed(false, common_divisor(magnitude(a), magnitude(b)), out, status);
}
