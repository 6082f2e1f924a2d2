// run: --in a=-7,3 --out b=5
// expect: b = -7, 3, 7, 3, 4
#include <math.h>
__global__ void k(const int *a, int *b) {
  b[0] = min(a[0], a[1]);
  b[1] = max(a[0], a[1]);
  b[2] = abs(a[0]);
  b[3] = min((unsigned)a[0], (unsigned)a[1]);
  b[4] = max(1, 4);
}
