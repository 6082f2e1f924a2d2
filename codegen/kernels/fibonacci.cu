#include "vgpu_status.h"

// The n-th Fibonacci number: 0, 1, 1, 2, 3, 5, ... from n = 0
extern "C" __global__ void fibonacci(int n, int *out, int *status) {
  if (n < 0) {
    *status = UNDEFINED;
  } else if (n > 46) {  // the 47th is above 2**31
    *status = OVERFLOWS;
  } else {
    int now = 0, next = 1;
    for (; n > 0; n--) {
      int after = now + next;
      now = next;
      next = after;
    }
    *out = now;
  }
}
