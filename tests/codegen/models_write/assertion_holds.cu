// run: --in a=4 --out b=1
// expect: b = 5
#include <assert.h>
__global__ void k(const int *a, int *b) {
  assert(a[0] > 0);
  *b = *a + 1;
}
