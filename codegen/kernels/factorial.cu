#include "vgpu_status.h"

// n!
extern "C" __global__ void factorial(int n, int *out, int *status) {
  if (n < 0) {
    *status = UNDEFINED;
  } else if (n > 12) {  // 13! is above 2**31
    *status = OVERFLOWS;
  } else {
    int product = 1;
    for (; n > 1; n--) product *= n;
    *out = product;
  }
}
