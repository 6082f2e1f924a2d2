#include "vgpu_status.h"

// The n-th Fibonacci number: 0, 1, 1, 2, 3, 5, ... from n = 0
extern "C" __global__ void fibonacci(int n, int *out, int *status) {
  if (n < 0) {
    *status = UNDEFINED;
  } else if (n > 46) {  // the 47th is above 2**31
    *status = OVERFLOWS;
  } else {
    unsigned now = 0, next = 1;  // the numbers 2k and 2k + 1 after k rounds
    for (; n > 1; n -= 2) {
      now += next;
      next += now;
    }
    *out = (int)(n == 1 ? next : now);
  }
}
