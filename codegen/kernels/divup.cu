#include "vgpu_wide.h"

// a / b, rounded up
extern "C" __global__ void divup(int64_t a, int64_t b, int64_t *out, int *status) {
  if (b == 0) {
    *status = UNDEFINED;
    return;
  }
  uint64_t rest, result = quotient(magnitude(a), magnitude(b), rest);
  bool negative = (a ^ b) < 0;
  if (!negative && rest != 0) result++;
  store_signed(negative, result, out, status);
}
