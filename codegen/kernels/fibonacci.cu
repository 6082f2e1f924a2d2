#include "vgpu_status.h"

// The n-th Fibonacci number: 0, 1, 1, 2, 3, 5, ... from n = 0
extern "C" __global__ void fibonacci(int64_t n, int64_t *out, int *status) {
  if (n < 0) {
    *status = UNDEFINED;
  } else if (n > 92) {  // the 93rd is above 2**63
    *status = OVERFLOWS;
  } else {
    uint64_t now = 0, next = 1;  // the numbers 2k and 2k + 1 after k rounds
    int left = (int)n;
    for (; left > 1; left -= 2) {
      now += next;
      next += now;
    }
    *out = (int64_t)(left == 1 ? next : now);
  }
}
