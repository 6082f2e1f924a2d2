// run: --in a=-7,3 --out b=2
// expect: b = -7, 2147483647
#include <algorithm>
#include <limits>
__global__ void k(const int *a, int *b) {
  b[0] = std::min(a[0], a[1]);
  b[1] = std::numeric_limits<int>::max();
}
